/** @jest-environment ./test/react/support/browser-environment.js */
import { act, render } from '@testing-library/react';
import type { ReactNode } from 'react';
import {
  defineRequest,
  fetchClient,
  indexByNode,
  informerRegistry,
  inNamespaces,
  pods,
  type Informer,
  type InformerRegistry,
  type Pod,
} from 'rx-informers';
import { InformersProvider, useByIndex, useInformer, useList, useObject } from 'rx-informers/react';
import { aPod, createInMemoryApiServer, serverFaults } from 'rx-informers/testing';
import { of } from 'rxjs';
import { errorWith } from '../support/error-with.js';
import { Boundary } from './support/boundary.js';
import { cluster } from './support/cluster.js';
import { expectComplaints } from './support/console-errors.js';
import { namesOf, open } from './support/page.js';

const byNode = defineRequest(pods, { linger: 0, indexers: { node: indexByNode } });

function PodsOf({ node }: { readonly node: string }): ReactNode {
  return `${node}: ${namesOf(useByIndex(useInformer(byNode), 'node', node))}; `;
}

function Phase({ name }: { readonly name: string }): ReactNode {
  return `${name}: ${useObject(useInformer(byNode), `default/${name}`)?.status?.phase}; `;
}

describe('useInformer', () => {
  it('shares one list and one watch between all components that request a resource', async () => {
    const { server, scheduler, client, lists } = cluster();
    const content = [<PodsOf key="1" node="n1" />, <PodsOf key="2" node="n2" />, <Phase key="3" name="c" />];
    const page = open(content, { client, scheduler });
    await page.pass();
    expect([page.text(), lists.count]).toEqual(['n1: a b; n2: c; c: Running; ', 1]);
    server.apply(aPod({ name: 'd', node: 'n2' }));
    await page.pass();
    expect([page.text(), lists.count]).toEqual(['n1: a b; n2: c d; c: Running; ', 1]);
  });

  it('does not list again if the user leaves the page and returns during the linger time', async () => {
    const { scheduler, client, lists } = cluster();
    const page = open(<PodsOf node="n1" />, { client, scheduler, linger: 1000 });
    await page.pass();
    page.show('another page');
    await page.pass(999);
    page.show(<PodsOf node="n2" />);
    expect(page.text()).toBe('n2: c; ');
    await page.pass(2000);
    expect(lists.count).toBe(1);
  });

  it('stops after the last component has unmounted and the linger time, and lists again for the next one', async () => {
    const { scheduler, client, lists } = cluster();
    const informers: Informer<unknown>[] = [];
    const Asking = (): ReactNode => {
      informers.push(useInformer(byNode));
      return null;
    };
    const page = open([<Asking key="1" />, <PodsOf key="2" node="n1" />], { client, scheduler, linger: 1000 });
    await page.pass();
    page.show(null);
    await page.pass(999);
    expect(informers[0]!.isRunning).toBe(true);
    await page.pass(1);
    expect(informers[0]!.isRunning).toBe(false);
    page.show(<PodsOf node="n1" />);
    await page.pass();
    expect([page.text(), lists.count]).toEqual(['n1: a b; ', 2]);
  });

  it('lingers for five seconds by default', async () => {
    const { scheduler, client, requests } = cluster();
    const around = (content: ReactNode): ReactNode => (
      <InformersProvider registry={registry} frameScheduler={scheduler} scheduler={scheduler}>
        {content}
      </InformersProvider>
    );
    const registry = informerRegistry(client);
    const { rerender } = render(around(<PodsOf node="n1" />));
    rerender(around(null));
    act(() => scheduler.advance(4999));
    expect(requests.open).toBe(1);
    act(() => scheduler.advance(1));
    expect(requests.open).toBe(0);
  });

  it.each([0, 100])('leaves nothing behind after a linger time of %p ms, and shows the list (G8)', async (linger) => {
    const { scheduler, client, requests } = cluster();
    const page = open([<PodsOf key="1" node="n1" />, <Phase key="2" name="c" />], { client, scheduler, linger });
    await page.pass();
    expect(page.text()).toBe('n1: a b; c: Running; ');
    page.show(null);
    await page.pass(linger);
    expect([requests.open, scheduler.timers]).toEqual([0, 0]);
  });

  it('lists once in StrictMode, which renders and mounts everything twice', async () => {
    const { scheduler, client, lists } = cluster();
    const content = [<PodsOf key="1" node="n1" />, <Phase key="3" name="c" />];
    const page = open(content, { client, scheduler, isStrict: true });
    await page.pass();
    expect([page.text(), lists.count]).toEqual(['n1: a b; c: Running; ', 1]);
  });

  it('returns the same informer for equal label selectors of different renders', async () => {
    const { server, scheduler, client, lists } = cluster();
    server.faults.always('any', serverFaults.delay(10));
    const Web = ({ app }: { readonly app: string }): ReactNode =>
      namesOf(useList(useInformer(pods, { labelSelector: { matchLabels: { app } } })));
    server.apply(aPod({ name: 'web', labels: { app: 'web' } }));
    const page = open(<Web app="web" />, { client, scheduler });
    for (let n = 0; n < 10; n++) {
      page.show(<Web app="web" />);
      await page.pass();
    }
    expect([page.text(), lists.count]).toEqual(['web', 1]);
    page.show(<Web app="other" />);
    expect([page.text(), lists.count]).toEqual(['', 2]);
  });

  it('does not start the informer by itself', async () => {
    const { scheduler, client, lists } = cluster();
    const Asking = (): ReactNode => useInformer(byNode).status.state;
    const page = open(<Asking />, { client, scheduler });
    await page.pass();
    expect([page.text(), lists.count]).toEqual(['stopped', 0]);
  });

  it('switches to another cluster with another registry, and releases the first one', async () => {
    const { server, scheduler, client } = cluster();
    const other = createInMemoryApiServer({ scheduler });
    other.apply(aPod({ name: 'z', node: 'n1' }));
    const page = open(<PodsOf node="n1" />, { client, scheduler });
    await page.pass();
    const registry = informerRegistry(other.client);
    page.show(<InformersProvider registry={registry} children={<PodsOf node="n1" />} />);
    await page.pass(200);
    server.apply(aPod({ name: 'd', node: 'n1' }));
    await page.pass();
    expect(page.text()).toBe('n1: z; ');
  });

  it('uses the registry of the nearest provider, also when that is replaced', async () => {
    const { scheduler, client, requests } = cluster();
    const other = createInMemoryApiServer({ scheduler });
    other.apply(aPod({ name: 'z', node: 'n1' }));
    const around = (registry: InformerRegistry): ReactNode => (
      <InformersProvider registry={registry}>
        <InformersProvider linger={50}>
          <PodsOf node="n1" />
        </InformersProvider>
      </InformersProvider>
    );
    const [first, second] = [informerRegistry(client), informerRegistry(other.client)];
    const page = open(around(first), { scheduler });
    await page.pass();
    expect([page.text(), requests.open]).toEqual(['n1: a b; ', 1]);
    page.show(around(second));
    await page.pass(50);
    expect([page.text(), requests.open]).toEqual(['n1: z; ', 0]);
  });

  it('throws at the error boundary without a registry, with a hint', () => {
    expectComplaints();
    const errors: unknown[] = [];
    open(
      <Boundary errors={errors}>
        <PodsOf node="n1" />
      </Boundary>,
    );
    expect(String(errors[0])).toMatch(/useInformer\(pods\): no registry is provided.*<InformersProvider/);
  });

  it.each([
    ['an index function', () => ({ indexers: { node: ({ spec }: Pod) => spec?.nodeName } }), 'indexers'],
    ['a transform', () => ({ initialList: 'pages' as const, transform: (pod: Pod) => pod }), 'transform'],
    ['changing namespaces', () => ({ namespace: inNamespaces(of(['web'])) }), 'namespace'],
  ] as const)('throws in the second render if %s is created by each render, with a hint', (_, create, name) => {
    expectComplaints();
    const { client } = cluster();
    const errors: unknown[] = [];
    const registry = informerRegistry(client);
    const Inline = ({ turn }: { turn: number }): ReactNode => `${turn} ${useInformer(pods, create()).status.state}`;
    const around = (turn: number): ReactNode => (
      <InformersProvider registry={registry}>
        <Boundary errors={errors} children={<Inline turn={turn} />} />
      </InformersProvider>
    );
    const page = open(around(1));
    page.show(around(2));
    expect(errors).toEqual([expect.objectContaining({ code: 'RXI_UNSTABLE_REQUEST', options: [name] })]);
    expect(String(errors[0])).toMatch(/define the request once.*outside.*defineRequest\(pods, /);
  });

  it('accepts options with functions that are a constant of the module, with one informer for all renders', () => {
    const { client } = cluster();
    const registry = informerRegistry(client);
    const byNode = { indexers: { node: ({ spec }: Pod) => spec?.nodeName } };
    const OnNode = ({ turn }: { turn: number }): ReactNode =>
      `${turn} ${useByIndex(useInformer(pods, byNode), 'node', 'n1').length}`;
    const around = (turn: number): ReactNode => (
      <InformersProvider registry={registry}>
        <OnNode turn={turn} />
      </InformersProvider>
    );
    const page = open(around(1));
    page.show(around(2));
    expect(page.text()).toMatch(/^2 /);
    expect(registry.informers).toHaveLength(1);
  });

  it('throws if a request with an index function is defined by each render, with a hint', () => {
    expectComplaints();
    const errors: unknown[] = [];
    const Inline = (): ReactNode =>
      useInformer(defineRequest(pods, { indexers: { node: ({ spec }) => spec?.nodeName } })).status.state;
    const around = (version: number): ReactNode => (
      <Boundary errors={errors}>
        <Inline key={version} />
      </Boundary>
    );
    const page = open(around(1), { client: fetchClient({ baseUrl: 'https://cluster.example' }) });
    page.show(around(2));
    expect(errors).toEqual([errorWith('RXI_INDEXER_CONFLICT')]);
    expect(String(errors[0])).toMatch(
      /pods: the index "node" .*define the function once, at module scope .*of React components/,
    );
  });

  it('throws if a request with a transform is defined by each render, instead of starting a watch each time', () => {
    expectComplaints();
    const { scheduler, client, lists } = cluster();
    const errors: unknown[] = [];
    const Inline = (): ReactNode =>
      namesOf(useList(useInformer(defineRequest(pods, { scheduler, initialList: 'pages', transform: (pod) => pod }))));
    const around = (version: number): ReactNode => (
      <Boundary errors={errors}>
        <Inline key={version} />
      </Boundary>
    );
    const page = open(around(1), { client, scheduler });
    for (let version = 2; version <= 20 && errors.length === 0; version++) page.show(around(version));
    expect(errors).toEqual([expect.objectContaining({ code: 'RXI_UNSTABLE_REQUEST', options: ['transform'] })]);
    expect(lists.count).toBe(10);
  });
});
