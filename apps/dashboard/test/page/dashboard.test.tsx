/** @jest-environment ./test/page/support/browser-environment.js */
import { jest } from '@jest/globals';
import { fireEvent, screen, within } from '@testing-library/react';
import { nodes, type KubeClient } from 'rx-informers';
import {
  aNode,
  aPod,
  createInMemoryApiServer,
  serverFaults,
  virtualClock,
  type InMemoryApiServer,
} from 'rx-informers/testing';
import { NEVER } from 'rxjs';
import { Dashboard } from '../../page/frame/dashboard.js';
import { toggleInformers } from '../../page/frame/informers-panel.js';
import './support/console-errors.js';
import { open, type Page } from './support/page.js';
import { addWhatJsdomLacks } from './support/shown-page.js';

const hostile = '<img src=x onerror=alert(1)>';

interface Shown {
  readonly server: InMemoryApiServer;
  readonly page: Page;
}

/** The page over a small cluster, read with the rights of a token. */
async function show(token = 'admin', onRequest: (path: string) => void = () => undefined): Promise<Shown> {
  const scheduler = virtualClock();
  const server = createInMemoryApiServer({
    scheduler,
    users: {
      admin: { name: 'admin', allow: 'everything' },
      guest: { name: 'guest', allow: [{ resources: ['pods'] }] },
      surveyor: { name: 'surveyor', allow: [{ resources: ['nodes'] }] },
      tenant: { name: 'tenant', allow: [{ resources: ['pods'], namespaces: ['shop'] }] },
    },
  });
  server.apply([
    aNode({ name: 'n1' }),
    aPod({ name: 'web-1', namespace: 'shop', node: 'n1', labels: { app: 'web' } }),
    aPod({ name: 'web-2', namespace: 'shop', node: 'n1', labels: { app: 'web' } }),
    aPod({ name: 'api-1', namespace: 'blog', node: hostile, labels: { app: 'api' } }),
  ]);
  const inner = server.clientFor(token);
  const client: KubeClient = {
    ...inner,
    exchange: (request) => {
      onRequest(request.path);
      return inner.exchange(request);
    },
  };
  const page = open(<Dashboard />, { client, scheduler });
  await page.pass(500);
  return { server, page };
}

function facet(title: string): readonly string[] {
  const values = within(screen.getByRole('region', { name: title })).getAllByRole('button');
  return values.map(({ textContent }) => textContent);
}

const count = (title: string): string =>
  screen.getByRole('heading', { name: new RegExp(`^${title} [\\d–]`) }).textContent;

beforeAll(() => {
  addWhatJsdomLacks(600);
});

// The clock of ages and of retries does not advance, however long a test takes.
beforeEach(() => {
  history.replaceState(null, '', '/');
  jest.useFakeTimers({
    doNotFake: [
      'cancelAnimationFrame',
      'clearImmediate',
      'clearTimeout',
      'nextTick',
      'performance',
      'queueMicrotask',
      'requestAnimationFrame',
      'setImmediate',
      'setTimeout',
    ],
  });
});

afterEach(() => {
  jest.useRealTimers();
});

describe('the dashboard', () => {
  it('shows namespaces, labels and nodes with their numbers of pods, and updates them', async () => {
    const { server, page } = await show();
    expect([facet('Namespace'), facet('App')]).toEqual([
      ['shop2', 'blog1'],
      ['web2', 'api1'],
    ]);
    expect(screen.getByRole('button', { name: /^n1 2 pods: 2 running$/ })).toBeTruthy();
    server.apply(aPod({ name: 'new', namespace: 'zoo', node: 'n1', labels: { tier: 'front' } }));
    await page.pass(100);
    expect(facet('Namespace')).toEqual(['shop2', 'blog1', 'zoo1']);
    fireEvent.click(screen.getByRole('button', { name: 'tier' }));
    expect(facet('tier')).toEqual(['front1']);
    expect(screen.getByRole('button', { name: /^n1 3 pods: 3 running$/ })).toBeTruthy();
  });

  it('shows markup in the name of a node as text', async () => {
    const { page } = await show();
    expect(page.text()).toContain(hostile);
    expect(page.container.querySelectorAll('img[src="x"]').length).toBe(0);
  });

  it('combines the chosen and the typed filter, and clears them', async () => {
    const { page } = await show();
    expect(count('Pods')).toBe('Pods 3');
    fireEvent.click(screen.getByRole('button', { name: /^shop/ }));
    await page.pass();
    expect(count('Pods')).toBe('Pods 2');
    fireEvent.change(screen.getByRole('searchbox'), { target: { value: 'web-2' } });
    await page.pass();
    expect(count('Pods')).toBe('Pods 1');
    fireEvent.keyDown(screen.getByRole('searchbox'), { key: 'Escape' });
    fireEvent.click(screen.getByRole('button', { name: 'Remove the filter Namespace shop' }));
    await page.pass();
    expect(count('Pods')).toBe('Pods 3');
  });

  it('opens a node, shows what its next update changes, and keeps a deleted object visible', async () => {
    const { server, page } = await show();
    fireEvent.click(screen.getByRole('button', { name: 'Show the node n1' }));
    await page.pass(500);
    const drawer = screen.getByRole('complementary');
    fireEvent.click(within(drawer).getByRole('tab', { name: 'Changes' }));
    await page.pass();
    expect(drawer.textContent).toContain('Nothing has changed since then.');
    server.apply({ ...aNode({ name: 'n1' }), spec: { unschedulable: true } });
    await page.pass(100);
    expect(drawer.querySelector('.changes')?.textContent).toContain('spec.unschedulabletrue');
    expect(screen.getByRole('button', { name: /^n1cordoned|^cordoned ?n1/ })).toBeTruthy();
    server.remove(nodes, 'n1');
    await page.pass(100);
    expect(drawer.textContent).toContain('Deleted. This is its last state.');
  });

  it('moves the focus into the drawer, and back with Escape', async () => {
    const { page } = await show();
    const opener = screen.getByRole('button', { name: 'Show the node n1' });
    page.run(() => {
      opener.focus();
    });
    fireEvent.click(opener);
    await page.pass();
    expect(document.activeElement?.getAttribute('aria-label')).toBe('Close the object (Escape)');
    fireEvent.keyDown(document.activeElement as Element, { key: 'Escape' });
    expect([screen.queryByRole('complementary'), document.activeElement === opener]).toEqual([null, true]);
  });

  it('moves the focus between tiles with arrow keys, and is one stop of the Tab key', async () => {
    const { page } = await show();
    const tiles = within(screen.getByRole('list', { name: 'Nodes and their pods' }));
    const [first, second] = tiles.getAllByRole('button', { name: /^n1|^Show the node n1/ });
    page.run(() => {
      first?.focus();
      fireEvent.keyDown(first as Element, { key: 'ArrowRight' });
    });
    expect(document.activeElement).toBe(second);
    const stops = tiles.getAllByRole('button');
    expect(stops.filter(({ tabIndex }) => tabIndex === 0).length).toBe(1);
  });

  it('reports in the panel of a kind that reading it is forbidden, and shows the others', async () => {
    await show('guest');
    expect(screen.getByRole('alert').textContent).toMatch(/^nodes: no permission\..*nodes is forbidden/);
    expect(screen.getAllByRole('status').map(({ textContent }) => textContent)).toContain('live');
    // The nodes with pods at that time.
    expect(count('Nodes')).toBe('Nodes 2');
  });

  it.each(['pods', 'workloads', 'workloads&workloads.show=services'])(
    'does not show the table of the view %s as loading while the pods are refused, nor while they are requested again',
    async (view) => {
      history.replaceState(null, '', `/?view=${view}`);
      const { server, page } = await show('surveyor');
      await page.pass(500);
      const table = await screen.findByRole('grid');
      const marks = (): readonly string[] =>
        [...page.container.querySelectorAll('[aria-busy=true], .skeleton')].map(({ className }) => className);
      expect(page.text()).toContain('pods: no permission.');
      expect([table.getAttribute('aria-rowcount'), ...marks()]).toEqual(['-1']);
      server.faults.always(() => true, serverFaults.delay(1e6));
      await page.pass(60_000);
      expect(page.text()).toContain('pods: no permission.');
      expect(marks()).toEqual([]);
    },
  );

  it.each([
    { view: 'pods', heading: 'Pods –' },
    { view: 'workloads', heading: 'Workloads –' },
    { view: 'logs', heading: 'Logs –' },
  ])('shows no count and names the missing permission in the view $view while the pods are refused', async (shown) => {
    history.replaceState(null, '', `/?view=${shown.view}`);
    const { page } = await show('surveyor');
    await page.pass(500);
    expect(await screen.findByRole('heading', { level: 2, name: shown.heading })).toBeDefined();
    expect(page.text()).toContain('pods: no permission.');
    expect(page.text()).not.toContain('No pods match');
  });

  it('lists the pods once reading them is no longer forbidden', async () => {
    const { server, page } = await show('surveyor');
    expect(count('Pods')).toBe('Pods –');
    server.grant('surveyor', { name: 'surveyor', allow: 'everything' });
    await page.pass(60_000);
    await page.pass(100);
    expect(count('Pods')).toBe('Pods 3');
    expect(screen.getByRole('grid').getAttribute('aria-busy')).toBe('false');
  });

  it('keeps the tiles of the map while refused nodes are requested again', async () => {
    const { server, page } = await show('guest');
    const tiles = (): number => page.container.querySelectorAll('#node-tiles[aria-busy=false] li').length;
    expect(tiles()).toBe(2);
    server.faults.always(({ path }) => path.endsWith('/nodes'), serverFaults.delay(1e6));
    await page.pass(60_000);
    expect(tiles()).toBe(2);
  });

  it('asks which namespace to show if reading all of them is forbidden, and shows only that one', async () => {
    const { page } = await show('tenant');
    fireEvent.change(screen.getByRole('textbox', { name: /^Try a single namespace/ }), {
      target: { value: 'shop' },
    });
    fireEvent.click(screen.getByRole('button', { name: 'Show it' }));
    await page.pass(500);
    expect([count('Pods'), location.search]).toEqual(['Pods 2', '?namespace=shop']);
    expect(screen.getByRole('banner').textContent).toContain('namespace shop only');
  });

  it.each(['workloads', 'workloads&workloads.show=services', 'timeline'])(
    'D5: requests nothing of other namespaces in the view %s if it shows one only',
    async (view) => {
      history.replaceState(null, '', `/?namespace=shop&view=${view}`);
      const paths = new Set<string>();
      const { page } = await show('admin', (path) => paths.add(path));
      for (let round = 0; round < 5; round++) await page.pass(200);
      const ofNamespace = [...paths].filter((path) => path.includes('/namespaces/shop/'));
      expect(ofNamespace.length).toBeGreaterThan(2);
      const ofOtherNamespaces = [...paths].filter((path) =>
        /^\/(api|apis\/[^/]+)\/v1\/(?!namespaces\/shop\/)/.test(path),
      );
      expect(ofOtherNamespaces).toEqual(['/api/v1/nodes']);
    },
  );

  it('shows a dash instead of a zero until the pods are listed', () => {
    const page = open(<Dashboard />, {
      client: { ...createInMemoryApiServer().clientFor('nobody'), exchange: () => NEVER },
    });
    expect(count('Pods')).toBe('Pods –');
    expect(screen.getByRole('button', { name: /Failing$/ }).textContent).toBe('– Failing');
    page.unmount();
  });

  it('reports that the credentials are not accepted if the server reports it', async () => {
    await show('nobody');
    const alerts = screen.getAllByRole('alert').map(({ textContent }) => textContent.split('.')[0]);
    expect(alerts).toEqual(['nodes: expired credentials', 'pods: expired credentials']);
    expect(screen.getAllByRole('status').map(({ textContent }) => textContent)).toContain('expired credentials');
  });
});

describe('the table of informers', () => {
  it('is opened and closed by the action of the palette, and by the address', async () => {
    const { page } = await show();
    page.run(toggleInformers);
    await page.pass(1000);
    const table = await screen.findByRole('table', { name: /^\d+ informers$/ });
    expect(within(table).getByRole('rowheader', { name: 'pods' }).closest('tr')?.textContent).toContain('watching');
    expect(location.search).toBe('?page.informers=open');
    page.run(toggleInformers);
    expect([location.search, screen.queryByRole('table', { name: /informers$/ })]).toEqual(['', null]);
  });
});
