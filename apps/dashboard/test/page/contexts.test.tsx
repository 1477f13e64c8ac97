/** @jest-environment ./test/page/support/browser-environment.js */
import { jest } from '@jest/globals';
import { fireEvent, screen, within } from '@testing-library/react';
import { pods, type KubeClient } from 'rx-informers';
import { sharedListWatch } from 'rx-informers/shared-worker';
import {
  aDeployment,
  aNode,
  aPod,
  createInMemoryApiServer,
  virtualClock,
  type InMemoryApiServer,
} from 'rx-informers/testing';
import { toExternalStore } from 'rx-informers/views';
import { of, Subject, switchMap, take } from 'rxjs';
import { formatAddress, parseAddress } from '../../page/address/page-address.js';
import { unknownCluster } from '../../page/cluster/cluster-info.js';
import { InCluster } from '../../page/cluster/cluster.js';
import { sideBySide } from '../../page/cluster/side-by-side.js';
import { Dashboard } from '../../page/frame/dashboard.js';
import { open, type Page } from './support/page.js';

interface Shown {
  readonly east: InMemoryApiServer;
  readonly west: InMemoryApiServer;
  readonly page: Page;
  /** The requests, as `west /api/v1/…`. */
  readonly requests: readonly string[];
  /** Releases the waiting writes. */
  readonly answer: () => Promise<void>;
}

/**
 * The page over two clusters that have a node and a pod of the same names; `west` may be refused.
 */
async function show(address: string, westMayBeRead = true): Promise<Shown> {
  history.replaceState(null, '', address);
  const scheduler = virtualClock();
  const requests: string[] = [];
  const answers$ = new Subject<void>();
  const user = { name: 'reader', allow: westMayBeRead ? ('everything' as const) : [] };
  const servers = {
    east: createInMemoryApiServer({ scheduler }),
    west: createInMemoryApiServer({ scheduler, users: { reader: user } }),
  };
  servers.east.apply([
    aNode({ name: 'n1' }),
    aPod({ name: 'web', namespace: 'shop', node: 'n1' }),
    aPod({ name: 'only-east', namespace: 'shop', node: 'n1' }),
  ]);
  servers.west.apply([aNode({ name: 'n1' }), aPod({ name: 'web', namespace: 'shop', node: 'n1' })]);
  const memberOf = (name: 'east' | 'west') => {
    const server = servers[name];
    const inner = name === 'west' ? server.clientFor('reader') : server.client;
    const client: KubeClient = {
      ...inner,
      exchange: (request) => {
        requests.push(`${name} ${request.path}`);
        const isWrite = request.method !== 'GET' && !request.path.includes('selfsubject');
        if (!isWrite) return inner.exchange(request);
        return answers$.pipe(
          take(1),
          switchMap(() => inner.exchange(request)),
        );
      },
    };
    const shared = sharedListWatch(
      () => {
        throw new Error('no shared workers here');
      },
      { identity: '' },
    );
    const info = {
      ...unknownCluster,
      isKnown: true,
      allowWrites: true,
      context: name,
      contexts: ['east', 'west', 'north'],
    };
    return [name, { client, shared, info: toExternalStore(of(info), info) }] as const;
  };
  const cluster = sideBySide(new Map([memberOf('east'), memberOf('west')]));
  const page = open(
    <InCluster cluster={cluster}>
      <Dashboard />
    </InCluster>,
    { scheduler },
  );
  await page.pass(500);
  const answer = async (): Promise<void> => {
    page.run(() => {
      answers$.next();
    });
    for (let round = 0; round < 5; round++) await page.pass(50);
  };
  return { ...servers, page, requests, answer };
}

function facet(title: string): readonly string[] {
  const values = within(screen.getByRole('region', { name: title })).getAllByRole('button');
  return values.map(({ textContent }) => textContent);
}

const count = (title: string): string => screen.getByRole('heading', { name: new RegExp(`^${title} \\d`) }).textContent;

const opened = (): string => screen.getByRole('complementary').textContent;

beforeAll(() => {
  Object.assign(globalThis, {
    matchMedia: () => ({ matches: false, addEventListener: () => undefined, removeEventListener: () => undefined }),
  });
  HTMLCanvasElement.prototype.getContext = () => null;
  HTMLElement.prototype.scrollTo = () => undefined;
});

beforeEach(() => {
  jest.useFakeTimers({
    doNotFake: [
      'nextTick',
      'performance',
      'queueMicrotask',
      'setImmediate',
      'setTimeout',
      'clearTimeout',
      'requestAnimationFrame',
      'cancelAnimationFrame',
    ],
  });
});

afterEach(() => {
  jest.useRealTimers();
});

describe('the address of several contexts', () => {
  it('names them, and the context of the opened object', () => {
    const search = '?contexts=east,a%252Cb&open=v1/pods:east:shop/web';
    const address = parseAddress(search);
    expect(address.contexts).toEqual(['east', 'a,b']);
    expect(address.opened).toEqual({ resource: 'v1/pods', key: 'shop/web', context: 'east' });
    expect(formatAddress(address)).toBe(search);
  });

  it('opens a link from the time of a single context in the first context', () => {
    expect(parseAddress('?contexts=east,west&open=v1/pods:shop/web').opened).toEqual({
      resource: 'v1/pods',
      key: 'shop/web',
      context: 'east',
    });
    expect(parseAddress('?contexts=east&open=v1/pods:shop/web').opened).toEqual({
      resource: 'v1/pods',
      key: 'shop/web',
    });
  });

  it('leaves out names that would lead to another path', () => {
    expect(parseAddress('?contexts=..,.,,east,east').contexts).toEqual(['east']);
  });
});

describe('several contexts side by side', () => {
  it('are one table, one map, and counts over all, even if names are the same', async () => {
    const { west, page } = await show('/?contexts=east,west');
    expect([count('Pods'), count('Nodes')]).toEqual(['Pods 3', 'Nodes 2']);
    expect(facet('Context')).toEqual(['east2', 'west1']);
    expect(facet('Namespace')).toEqual(['shop3']);
    expect(screen.getByRole('columnheader', { name: 'Context' })).toBeTruthy();
    expect(screen.getByRole('region', { name: 'context east' }).textContent).toContain('n1');
    expect(screen.getByRole('region', { name: 'context west' }).textContent).toContain('n1');
    west.apply(aPod({ name: 'new', namespace: 'shop', node: 'n1' }));
    await page.pass(100);
    expect([count('Pods'), facet('Context')]).toEqual(['Pods 4', ['east2', 'west2']]);
    fireEvent.click(screen.getByRole('button', { name: /^east/ }));
    await page.pass(500);
    expect(count('Pods')).toBe('Pods 2');
  });

  it('open the object of the right context, which receives the requests', async () => {
    const { page, requests } = await show('/?contexts=east,west&open=v1/pods:west:shop/web&tab=logs');
    await page.pass(500);
    await screen.findByRole('tab', { name: 'Logs', selected: true });
    expect(opened()).toMatch(/west · shop\/web/);
    await page.pass(500);
    expect(requests.filter((path) => path.endsWith('/log'))).toEqual(['west /api/v1/namespaces/shop/pods/web/log']);
  });

  it('show the readable contexts if one context refuses, and name that one', async () => {
    const { west, page } = await show('/?contexts=east,west', false);
    expect(count('Pods')).toBe('Pods 2');
    const states = screen.getByRole('status', { name: 'Contexts that are not live' });
    expect(states.textContent).toContain('west no permission');
    expect(page.text()).toContain('1 of 2 live');
    expect(page.text()).toContain('pods of west: no permission.');
    west.grant('reader', { name: 'reader', allow: 'everything' });
    await page.pass(60_000);
    expect(count('Pods')).toBe('Pods 3');
    expect(page.text()).not.toContain('no permission');
  });

  it('are chosen in the header; choosing one alone drops the state of the others', async () => {
    await show('/?contexts=east,west&is.context=west&is.namespace=shop');
    fireEvent.click(screen.getByRole('checkbox', { name: 'north', hidden: true }));
    expect(parseAddress(location.search).contexts).toEqual(['east', 'west', 'north']);
    fireEvent.click(screen.getAllByRole('link', { name: 'only', hidden: true })[0] as HTMLElement);
    expect(location.search).toBe('?contexts=east&is.namespace=shop');
  });

  it('show a write at once on the object of its context, and on no object of that name elsewhere', async () => {
    const { page, answer, west } = await show('/?contexts=east,west&open=v1/pods:west:shop/web');
    const before = facet('Status');
    fireEvent.click(await screen.findByRole('button', { name: 'Delete' }));
    fireEvent.click(await screen.findByRole('button', { name: 'Delete shop/web' }));
    await page.pass(100);
    expect(before.join()).not.toContain('Terminating');
    expect(facet('Status')).toContain('Terminating1');
    expect(opened()).toContain('saving…');
    expect(west.objects.get(pods, 'web', 'shop')).toBeDefined();
    fireEvent.click(screen.getByRole('button', { name: /^east/ }));
    await page.pass(500);
    expect(facet('Status')).toContain('Terminating0');
    await answer();
    expect(facet('Context')).toEqual(['east2']);
  });

  it('show a write at once if a single context is shown', async () => {
    const { page, answer, west } = await show(
      '/?contexts=east,west&view=workloads&context.shown=west&open=apps/v1/deployments:west:shop/front',
    );
    west.apply(aDeployment({ name: 'front', namespace: 'shop', replicas: 2 }));
    await page.pass(500);
    fireEvent.click(await screen.findByRole('button', { name: 'Scale' }));
    fireEvent.change(screen.getByLabelText('Replicas'), { target: { value: '5' } });
    fireEvent.submit(screen.getByLabelText('Replicas'));
    await page.pass(100);
    expect(opened()).toContain('saving…');
    expect(opened()).toMatch(/replicas5/i);
    await answer();
    expect(opened()).toMatch(/replicas5/i);
    expect(opened()).not.toContain('saving…');
  });

  it('have facets that count only the context of a view that shows one', async () => {
    const { page } = await show('/?contexts=east,west&view=workloads');
    const choice = await screen.findByRole('combobox', { name: 'Context of this view' });
    await page.pass(500);
    expect(facet('Namespace')).toEqual(['shop2']);
    expect(screen.queryByRole('region', { name: 'Context' })).toBeNull();
    fireEvent.change(choice, { target: { value: 'west' } });
    await page.pass(500);
    expect(facet('Namespace')).toEqual(['shop1']);
  });

  it('are narrowed to the chosen one in a view that shows one context', async () => {
    const { page } = await show('/?contexts=east,west&view=workloads&is.context=west');
    const choice = await screen.findByRole('combobox', { name: 'Context of this view' });
    await page.pass(500);
    expect((choice as HTMLSelectElement).value).toBe('west');
    expect(facet('Namespace')).toEqual(['shop1']);
    fireEvent.change(choice, { target: { value: 'east' } });
    await page.pass(500);
    expect(facet('Namespace')).toEqual(['shop2']);
  });

  it('have a selector in views that show one context, and links that name the context', async () => {
    const { page, requests } = await show('/?contexts=east,west&view=kinds');
    const choice = await screen.findByRole('combobox', { name: 'Context of this view' });
    await page.pass(500);
    expect(requests.filter((path) => path.endsWith('/apis'))).toEqual(['east /apis']);
    fireEvent.change(choice, { target: { value: 'west' } });
    await page.pass(500);
    expect(requests.filter((path) => path.endsWith('/apis'))).toEqual(['east /apis', 'west /apis']);
  });
});
