import { aNode, aPod } from 'rx-informers/testing';
import { useStage } from './support/dashboard.js';
import { expectVisible } from './support/page-conditions.js';
import { openTab } from './support/places.js';
import { podNamed, secondsPass, slider } from './support/time-bar.js';

const stage = useStage();

describe('the time bar of the dashboard in Chromium', () => {
  it('moves with a drag of the pointer', async () => {
    const { api, url } = await stage.start();
    api.apply([aNode({ name: 'n1' }), aPod({ name: 'first', namespace: 'shop', node: 'n1' })]);
    const { page } = await stage.open(url);
    await expectVisible(podNamed(page, 'first'));
    await secondsPass(page);
    api.apply([aPod({ name: 'second', namespace: 'blog', node: 'n1' })]);
    await expectVisible(podNamed(page, 'second'));
    const box = await slider(page).boundingBox();
    if (box === null) throw new Error('the time bar is not drawn');
    const middle = box.y + box.height / 2;
    await page.mouse.move(box.x + box.width - 12, middle);
    await page.mouse.down();
    // To the beginning: how long ago that is depends on the machine.
    for (let part = 1; part <= 20; part++)
      await page.mouse.move(box.x + 12 + (box.width - 24) * (1 - part / 20), middle);
    await podNamed(page, 'second').waitFor({ state: 'detached' });
    await page.mouse.move(box.x + box.width - 4, middle, { steps: 10 });
    await page.mouse.up();
    await expectVisible(podNamed(page, 'second'));
  });
});

describe('the past of the dashboard in Chromium', () => {
  it('is the same after the only tab was loaded again, and in a second tab', async () => {
    const { api, url } = await stage.start();
    api.apply([aNode({ name: 'n1' }), aPod({ name: 'first', namespace: 'shop', node: 'n1' })]);
    const { page, errors } = await stage.open(url);
    await expectVisible(podNamed(page, 'first'));
    await secondsPass(page);
    api.apply([aPod({ name: 'second', namespace: 'shop', node: 'n1' })]);
    await expectVisible(podNamed(page, 'second'));
    await secondsPass(page);
    api.apply([aPod({ name: 'second', namespace: 'shop', node: 'n1', labels: { app: 'changed' } })]);
    await secondsPass(page);

    await page.reload();
    const other = await page.context().newPage();
    await other.goto(url);
    for (const each of [page, other]) {
      await expectVisible(podNamed(each, 'second'));
      await slider(each).press('Home');
      await podNamed(each, 'second').waitFor({ state: 'detached' });
      await expectVisible(podNamed(each, 'first'));
      await slider(each).press('End');
      await podNamed(each, 'second').click();
      await openTab(each, 'Changes');
      await each.getByRole('region', { name: 'Changes' }).getByText('metadata.labels').waitFor();
    }
    expect(errors.filter((error) => !error.includes('404'))).toEqual([]);
  });
});
