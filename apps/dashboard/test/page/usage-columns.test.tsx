/** @jest-environment ./test/page/support/browser-environment.js */
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { informerRegistry } from 'rx-informers';
import { sharedListWatch } from 'rx-informers/shared-worker';
import {
  aNode,
  aPod,
  createInMemoryApiServer,
  virtualClock,
  type InMemoryApiServerOptions,
} from 'rx-informers/testing';
import { toExternalStore } from 'rx-informers/views';
import { of } from 'rxjs';
import { unknownCluster } from '../../page/cluster/cluster-info.js';
import { InCluster, type Cluster } from '../../page/cluster/cluster.js';
import { Dashboard } from '../../page/frame/dashboard.js';
import { showTime } from '../../page/history/shown-time.js';
import { shownWrites } from '../../page/writes/shown-writes.js';
import './support/console-errors.js';
import { open } from './support/page.js';

const Mi = 2 ** 20;

/** The usage of its container, by pod. */
const used: Readonly<Record<string, { cpu: number; memory: number }>> = {
  small: { cpu: 0.012, memory: 34 * Mi },
  large: { cpu: 0.25, memory: 20 * Mi },
};

/** The page over a cluster with two measured pods and one that is not. */
async function show(address: string, options: InMemoryApiServerOptions = {}) {
  history.replaceState(null, '', address);
  const scheduler = virtualClock();
  const server = createInMemoryApiServer({
    scheduler,
    containerUsage: ({ pod }) => used[pod.metadata.name],
    ...options,
  });
  server.apply([
    aNode({ name: 'n1', capacity: { cpu: '2', memory: '1Gi' } }),
    aPod({ name: 'small', namespace: 'shop', node: 'n1', requests: { cpu: '100m' } }),
    aPod({ name: 'large', namespace: 'shop', node: 'n1', requests: { cpu: '100m' } }),
    aPod({ name: 'waiting', namespace: 'shop' }),
  ]);
  const shared = sharedListWatch(
    () => {
      throw new Error('no shared workers here');
    },
    { identity: '' },
  );
  const info = { ...unknownCluster, isKnown: true, hasMetrics: !('containerUsage' in options) };
  const { client } = server;
  const writes = shownWrites(shared.listWatch);
  const cluster: Cluster = {
    client,
    shared,
    writes,
    registry: informerRegistry(client, { listWatch: writes.listWatch }),
    info: toExternalStore(of(info), info),
    tables: new Map(),
  };
  const page = open(
    <InCluster cluster={cluster}>
      <Dashboard />
    </InCluster>,
    { client, scheduler },
  );
  await page.pass(500);
  /** Waits, frame by frame, until the page fulfils an expectation. */
  const eventually = (check: () => void): Promise<void> =>
    waitFor(async () => {
      await page.pass(20);
      check();
    });
  return { page, eventually };
}

/** The cells of a row, by the title of their column. */
function rowOf(name: string): Readonly<Record<string, string>> {
  const titles = screen.getAllByRole('columnheader').map(({ textContent }) => textContent.replace(/[↑↓]/, ''));
  const row = screen.getAllByRole('row').find(({ textContent }) => textContent.startsWith(name));
  if (row === undefined) throw new Error(`there is no row ${name}`);
  const cells = within(row).getAllByRole('gridcell');
  return Object.fromEntries(titles.map((title, at) => [title, cells[at]?.textContent ?? '']));
}

const names = (): readonly string[] =>
  screen
    .getAllByRole('row')
    .slice(1)
    .map(({ textContent }) => textContent.replace(/^(small|large|waiting).*$/, '$1'));

beforeAll(() => {
  Object.assign(globalThis, {
    matchMedia: () => ({ matches: false, addEventListener: () => undefined, removeEventListener: () => undefined }),
  });
  HTMLCanvasElement.prototype.getContext = () => null;
  HTMLElement.prototype.scrollTo = () => undefined;
  // A table draws the rows that fit into its height.
  for (const side of ['clientHeight', 'clientWidth']) {
    Object.defineProperty(HTMLElement.prototype, side, { configurable: true, value: 600 });
  }
});

describe('CPU and memory on the page', () => {
  it('are columns of the table of pods, in the units of kubectl top, and can be sorted by', async () => {
    const { eventually } = await show('/');
    await screen.findByRole('columnheader', { name: 'CPU' });
    await eventually(() => expect(rowOf('small')).toMatchObject({ CPU: '12m', Memory: '34Mi' }));
    expect(rowOf('waiting')).toMatchObject({ CPU: '–', Memory: '–' });
    expect(screen.getByTitle('CPU: 12m of 100m requested, 12 %')).toBeTruthy();
    fireEvent.click(within(screen.getByRole('columnheader', { name: 'Memory' })).getByRole('button'));
    await eventually(() => expect(names()).toEqual(['large', 'small', 'waiting']));
    fireEvent.click(within(screen.getByRole('columnheader', { name: 'CPU' })).getByRole('button'));
    await eventually(() => expect(names()).toEqual(['small', 'large', 'waiting']));
  });

  it('are hidden if the cluster does not have metrics.k8s.io', async () => {
    const { page } = await show('/', { containerUsage: undefined });
    await page.pass(20_000);
    expect(screen.queryByRole('columnheader', { name: 'CPU' })).toBeNull();
    expect(screen.getByRole('columnheader', { name: 'Node' })).toBeTruthy();
  });

  it('are empty while the page shows the past, and return with live', async () => {
    const { page, eventually } = await show('/');
    await screen.findByRole('columnheader', { name: 'CPU' });
    await eventually(() => expect(rowOf('small')).toMatchObject({ CPU: '12m' }));
    page.run(() => {
      showTime(Date.now() - 1000);
    });
    await eventually(() => expect(screen.queryByText('12m')).toBeNull());
    page.run(() => {
      showTime(undefined);
    });
    await eventually(() => expect(rowOf('small')).toMatchObject({ CPU: '12m' }));
  });

  it('are in the drawer, for each container, with their age', async () => {
    await show('/?open=v1/pods:shop/small');
    const containers = await screen.findByRole('region', { name: 'Containers' });
    await within(containers).findByText(/^12m of 100m requested/);
    expect(containers.textContent).toMatch(/memory34Mimeasured \d+\w ago/);
  });

  it('are shown for a node in the drawer, relative to its allocatable resources', async () => {
    await show('/?open=v1/nodes:n1');
    const section = await screen.findByRole('region', { name: 'Used' });
    expect(section.textContent).toMatch(/cpu262m of 2000m allocatable 13 %memory54Mi of 1024Mi allocatable 5 %/);
  });

  it.each([
    ['nodes', 'n1', '262m'],
    ['pods', 'small', '12m'],
  ])('are columns of the kind %s', async (kind, name, cpu) => {
    const { eventually } = await show(`/?view=kinds&kind=v1/${kind}`);
    await screen.findByRole('columnheader', { name: 'CPU' });
    await eventually(() => expect(rowOf(name)).toMatchObject({ CPU: cpu }));
  });
});
