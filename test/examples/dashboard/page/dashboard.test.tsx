/** @jest-environment ./test/react/support/browser-environment.js */
import { jest } from '@jest/globals';
import { fireEvent, screen, within } from '@testing-library/react';
import { nodes, type KubeClient } from 'rx-informers';
import { aNode, aPod, createInMemoryApiServer, type InMemoryApiServer, virtualClock } from 'rx-informers/testing';
import { Dashboard } from '../../../../examples/dashboard/page/parts/dashboard.js';
import '../../../react/support/console-errors.js';
import { open, type Page } from '../../../react/support/page.js';

const hostile = '<img src=x onerror=alert(1)>';

interface Shown {
  readonly server: InMemoryApiServer;
  readonly page: Page;
}

/** The page over a small cluster, read with the rights of a token. */
async function show(token = 'admin'): Promise<Shown> {
  const scheduler = virtualClock();
  const server = createInMemoryApiServer({
    scheduler,
    users: {
      admin: { name: 'admin', allow: 'everything' },
      guest: { name: 'guest', allow: [{ resources: ['pods'] }] },
    },
  });
  server.apply([
    aNode({ name: 'n1' }),
    aPod({ name: 'web-1', namespace: 'shop', node: 'n1', labels: { app: 'web' } }),
    aPod({ name: 'web-2', namespace: 'shop', node: 'n1', labels: { app: 'web' } }),
    aPod({ name: 'api-1', namespace: 'blog', node: hostile, labels: { app: 'api' } }),
  ]);
  const client: KubeClient = server.clientFor(token);
  const page = open(<Dashboard />, { client, scheduler });
  await page.pass(500);
  return { server, page };
}

function facet(title: string): readonly string[] {
  const values = within(screen.getByRole('region', { name: title })).getAllByRole('button');
  return values.map(({ textContent }) => textContent);
}

const count = (title: string): string => screen.getByRole('heading', { name: new RegExp(`^${title} \\d`) }).textContent;

beforeAll(() => {
  Object.assign(globalThis, {
    matchMedia: () => ({ addEventListener: () => undefined, removeEventListener: () => undefined }),
  });
  // jsdom has neither canvases nor sizes.
  HTMLCanvasElement.prototype.getContext = () => null;
  HTMLElement.prototype.scrollTo = () => undefined;
});

// The clock of ages, and of what is tried again: it stands still, however long a test takes.
beforeEach(() => {
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
  it('shows namespaces, labels and nodes with how many pods they have, and follows them', async () => {
    const { server, page } = await show();
    expect([facet('Namespace'), facet('app')]).toEqual([
      ['blog1', 'shop2'],
      ['api1', 'web2'],
    ]);
    expect(screen.getByRole('button', { name: /^n1 2 pods: 2 running$/ })).toBeTruthy();
    server.apply(aPod({ name: 'new', namespace: 'zoo', node: 'n1', labels: { tier: 'front' } }));
    await page.pass(100);
    expect([facet('Namespace'), facet('tier')]).toEqual([['blog1', 'shop2', 'zoo1'], ['front1']]);
    expect(screen.getByRole('button', { name: /^n1 3 pods: 3 running$/ })).toBeTruthy();
  });

  it('writes markup in the name of a node as the text that it is', async () => {
    const { page } = await show();
    expect(page.text()).toContain(hostile);
    expect(page.container.querySelectorAll('img[src="x"]').length).toBe(0);
  });

  it('filters by what is chosen and typed together, and takes it back', async () => {
    const { page } = await show();
    expect(count('Pods')).toBe('Pods 3');
    fireEvent.click(screen.getByRole('button', { name: /^shop/ }));
    await page.pass();
    expect(count('Pods')).toBe('Pods 2');
    fireEvent.change(screen.getByRole('searchbox'), { target: { value: 'web-2' } });
    await page.pass();
    expect(count('Pods')).toBe('Pods 1');
    fireEvent.keyDown(screen.getByRole('searchbox'), { key: 'Escape' });
    fireEvent.click(screen.getByRole('button', { name: 'Remove the filter namespace shop' }));
    await page.pass();
    expect(count('Pods')).toBe('Pods 3');
  });

  it('opens a node, shows what its next update changes, and keeps what is deleted in sight', async () => {
    const { server, page } = await show();
    fireEvent.click(screen.getByRole('button', { name: 'Show the node n1' }));
    await page.pass(500);
    const drawer = screen.getByRole('complementary');
    expect(drawer.textContent).toContain('Nothing has changed since this was opened.');
    server.apply({ ...aNode({ name: 'n1' }), spec: { unschedulable: true } });
    await page.pass(100);
    expect(drawer.querySelector('.changes')?.textContent).toContain('spec.unschedulabletrue');
    expect(screen.getByRole('button', { name: /^n1cordoned|^cordoned ?n1/ })).toBeTruthy();
    server.remove(nodes, 'n1');
    await page.pass(100);
    expect(drawer.textContent).toContain('Deleted. This is how it was last.');
  });

  it('gives the focus to the drawer, and back where it was with Escape', async () => {
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

  it('moves the focus among tiles with arrows, and is one stop of the Tab key', async () => {
    const { page } = await show();
    const [first, second] = screen.getAllByRole('button', { name: /^n1|^Show the node n1/ });
    page.run(() => {
      first?.focus();
      fireEvent.keyDown(first as Element, { key: 'ArrowRight' });
    });
    expect(document.activeElement).toBe(second);
    const stops = within(screen.getByRole('list', { name: 'Nodes and their pods' })).getAllByRole('button');
    expect(stops.filter(({ tabIndex }) => tabIndex === 0).length).toBe(1);
  });

  it('says in the panel of a kind that it may not be read, and shows the others', async () => {
    const { page } = await show('guest');
    expect(screen.getByRole('alert').textContent).toMatch(/^nodes: no permission\..*nodes is forbidden/);
    expect(page.text()).toContain('pods: live');
    // The nodes that pods are on, then.
    expect(count('Nodes')).toBe('Nodes 2');
  });

  it('reports that no user is signed in if the server says so', async () => {
    await show('nobody');
    const alerts = screen.getAllByRole('alert').map(({ textContent }) => textContent.split('.')[0]);
    expect(alerts).toEqual(['nodes: not signed in', 'pods: not signed in']);
  });
});
