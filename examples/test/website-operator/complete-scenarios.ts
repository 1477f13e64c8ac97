import { configMaps, services } from 'rx-informers';
import { hasFinalizer } from 'rx-informers/controller';
import { defer, repeat, timer } from 'rxjs';
import { eventually } from '../../../test/cluster/support/eventually.js';
import { websites } from '../../website-operator/website.js';
import type { Play } from './play.js';
import { eachOf, has, isReady, readyOf, websiteIn } from './readings.js';
import type { Playhouse } from './stage.js';

/**
 * Defines the tests of features beyond the core: finalizer and directory, validation of specs,
 * events.
 */
export function describeCompleteness({ storesEvents }: Playhouse, scenario: () => Play): void {
  const create = (name: string, image = 'nginx'): Promise<void> =>
    scenario().stage.user.create(websites, name, { spec: { image } });
  const change = (name: string, image: string): Promise<void> =>
    scenario().stage.user.patch(websites, name, { spec: { image } });

  it('protects a website with a finalizer while the directory links to it, and removes it afterwards', async () => {
    const { stage, start, settled } = scenario();
    start();
    await create('shop');
    const state = await settled(has('shop'));
    expect(hasFinalizer(websiteIn(state, 'shop'), 'websites.example.com/directory')).toBe(true);
    expect(state.directory).toEqual({ [`${stage.namespace}.shop`]: `http://shop.${stage.namespace}.svc` });

    await stage.user.remove(websites, 'shop');
    expect((await settled(({ websites: { length } }) => length === 0)).directory).toEqual({});
  });

  it('cleans up after a website that was deleted while no operator was running', async () => {
    const { stage, start, settled } = scenario();
    const operator = start();
    await create('shop');
    await settled(has('shop'));
    operator.unsubscribe();
    await stage.user.remove(websites, 'shop');
    expect((await stage.look()).directory).not.toEqual({});

    start();
    expect((await settled(({ websites: { length } }) => length === 0)).directory).toEqual({});
  });

  it('keeps what another client writes into the directory meanwhile', async () => {
    const { stage, start, settled } = scenario();
    start();
    await create('first');
    await settled(has('first'));
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    await eachOf(names, async (name) => {
      await create(name);
      await stage.kubectl.patch(configMaps, 'website-directory', { data: { [`not-ours-${name}`]: 'kept' } });
    });
    const { directory } = await settled(has(...names));
    expect(directory).toMatchObject(Object.fromEntries(names.map((name) => [`not-ours-${name}`, 'kept'])));
  });

  it('restores a Service that another client changed', async () => {
    const { stage, start, settled } = scenario();
    start();
    await create('shop');
    await settled(has('shop'));
    await stage.kubectl.patch(services, 'shop', { spec: { selector: { 'app.kubernetes.io/name': 'other' } } });
    const { services: found } = await settled();
    expect(found).toMatchObject([{ spec: { selector: { 'app.kubernetes.io/name': 'shop' } } }]);
  });

  it('reports an invalid spec, creates nothing for it, and works again as soon as it is fixed', async () => {
    const { start, settled } = scenario();
    start();
    await create('shop', 'no image');
    const refused = await settled(has('shop'));
    expect(readyOf(refused, 'shop')).toMatchObject({ status: 'False', reason: 'InvalidSpec', observedGeneration: 1 });
    expect(readyOf(refused, 'shop').message).toContain('"no image"');
    expect(refused.deployments).toEqual([]);

    await change('shop', 'nginx');
    expect((await settled()).deployments).toHaveLength(1);
  });

  it('leaves existing objects unchanged when a spec becomes invalid', async () => {
    const { start, settled } = scenario();
    start();
    await create('shop');
    const before = await settled(has('shop'));
    await change('shop', 'no image');
    expect((await settled()).deployments[0]?.spec).toEqual(before.deployments[0]?.spec);
  });

  if (!storesEvents) return;

  const recorded = async () =>
    (await scenario().stage.events()).map(({ type, reason, note, series, regarding }) => ({
      type,
      reason,
      note,
      count: series?.count ?? 1,
      regarding: regarding?.name,
    }));
  const events$ = defer(recorded).pipe(repeat({ delay: () => timer(20) }));

  it('records when a website becomes ready, and counts when it does so again', async () => {
    const { stage, start, settled } = scenario();
    start();
    stage.startDeployments();
    await create('shop');
    await settled(isReady('shop'));
    const note = `served at http://shop.${stage.namespace}.svc`;
    const once = { type: 'Normal', reason: 'Ready', note, count: 1, regarding: 'shop' };
    expect(await eventually(events$, ({ length }) => length === 1)).toEqual([once]);

    await change('shop', 'nginx:1.29');
    await settled(isReady('shop'));
    expect(await eventually(events$, ([event]) => event?.count === 2)).toEqual([{ ...once, count: 2 }]);
  });

  it('warns once about an invalid spec', async () => {
    const { start } = scenario();
    start();
    await create('shop', 'no image');
    const note = expect.stringContaining('"no image" is not an image name');
    expect(await eventually(events$, ({ length }) => length === 1)).toEqual([
      { type: 'Warning', reason: 'InvalidSpec', note, count: 1, regarding: 'shop' },
    ]);
  });
}
