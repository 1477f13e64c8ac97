/** @jest-environment ./test/page/support/browser-environment.js */
import { fireEvent, screen } from '@testing-library/react';
import { aConfigMap, aDeployment, aPod, aReplicaSet, type OwnerLike } from 'rx-informers/testing';
import './support/console-errors.js';
import { showPage, addWhatJsdomLacks, type ShownPage } from './support/shown-page.js';

/** The visible height in pixels: the titles and 20 rows of the kinds, 16 of the workloads. */
const height = 610;

beforeAll(() => {
  addWhatJsdomLacks(height);
});

const grid = (): HTMLElement => screen.getByRole('grid');

/** The row with the keyboard focus. */
function activeRow(): HTMLElement | null {
  return document.getElementById(grid().getAttribute('aria-activedescendant') ?? '');
}

async function press({ page }: ShownPage, key: string): Promise<void> {
  page.run(() => {
    fireEvent.keyDown(grid(), { key });
    // A browser emits an event when it scrolls; jsdom does not.
    fireEvent.scroll(grid());
  });
  await page.pass();
}

describe('the table of a kind, by keyboard', () => {
  const numbered = (at: number): string => `map-${String(at).padStart(3, '0')}`;
  const maps = Array.from({ length: 100 }, (_, at) => aConfigMap({ name: numbered(at), namespace: 'shop' }));

  async function show(): Promise<ShownPage> {
    const shown = await showPage('/?view=kinds&kind=v1/configmaps', maps);
    await screen.findByRole('grid', { name: 'ConfigMap' });
    await shown.eventually(() => expect(activeRow()?.textContent).toContain(numbered(0)));
    return shown;
  }

  it('moves by rows with the arrow keys, by pages, and to both ends, and opens the object with Enter', async () => {
    const shown = await show();
    const visited: (string | undefined)[] = [];
    for (const key of ['ArrowDown', 'ArrowDown', 'PageDown', 'ArrowUp', 'End', 'PageUp', 'Home', 'ArrowUp']) {
      await press(shown, key);
      await shown.eventually(() => expect(activeRow()).not.toBeNull());
      visited.push(/map-\d+/.exec(activeRow()?.textContent ?? '')?.[0]);
    }
    // One row of a page stays in sight.
    expect(visited).toEqual([1, 2, 21, 20, 99, 80, 0, 0].map(numbered));
    await press(shown, 'Enter');
    expect(location.search).toContain('open=v1/configmaps:shop/map-000');
  });

  it('draws the rows at the end when the keyboard focus reaches them', async () => {
    const shown = await show();
    expect(screen.queryByRole('link', { name: numbered(99) })).toBeNull();
    await press(shown, 'End');
    await shown.eventually(() => expect(screen.getByRole('link', { name: numbered(99) })).toBeTruthy());
    expect(grid().scrollTop).toBe(30 + 100 * 28 - height);
  });

  it('ignores Right and Left, because its rows cannot be expanded', async () => {
    const shown = await show();
    const before = location.search;
    await press(shown, 'ArrowRight');
    await press(shown, 'ArrowLeft');
    expect(location.search).toBe(before);
  });
});

describe('the table of workloads, by keyboard', () => {
  /** Thirty Deployments, each with a ReplicaSet and its pod. */
  async function show(): Promise<ShownPage> {
    const shown = await showPage('/?view=workloads&sort=name', []);
    const apply = (object: object): OwnerLike => shown.server.apply(object)[0] as OwnerLike;
    for (let at = 0; at < 30; at += 1) {
      const own = (name: string, owner?: OwnerLike) => ({ name, namespace: 'shop', owner });
      const name = `web-${String(at).padStart(2, '0')}`;
      const set = apply(aReplicaSet(own(`${name}-5d89`, apply(aDeployment(own(name))))));
      apply(aPod({ ...own(`${name}-5d89-x`, set), node: 'n1' }));
    }
    await screen.findByRole('grid', { name: 'Workloads' });
    await shown.eventually(() => expect(activeRow()?.textContent).toMatch(/^.?web-00/));
    return shown;
  }

  it('Right expands a row, Left collapses it, and the address contains it', async () => {
    const shown = await show();
    await press(shown, 'ArrowDown');
    const name = /web-\d+/.exec(activeRow()?.textContent ?? '')?.[0] ?? '';
    const below = (): string | undefined => activeRow()?.parentElement?.querySelector('.table-below')?.textContent;
    expect(below()).toBeUndefined();
    await press(shown, 'ArrowRight');
    expect(screen.getByRole('button', { name: `Close Deployment shop/${name}` })).toBeTruthy();
    expect(below()).toContain(`${name}-5d89-x`);
    expect(location.search).toContain('workloads.open=');
    await press(shown, 'ArrowLeft');
    expect(screen.getByRole('button', { name: `Open Deployment shop/${name}` })).toBeTruthy();
    expect(below()).toBeUndefined();
    expect(location.search).not.toContain('workloads.open');
  });

  it('moves down by rows, by pages and to the end', async () => {
    const shown = await show();
    const visited: (string | undefined)[] = [];
    for (const key of ['ArrowDown', 'End', 'PageUp', 'Home']) {
      await press(shown, key);
      await shown.eventually(() => expect(activeRow()).not.toBeNull());
      visited.push(/web-\d+/.exec(activeRow()?.textContent ?? '')?.[0]);
    }
    expect(visited).toEqual(['web-01', 'web-29', 'web-14', 'web-00']);
  });
});
