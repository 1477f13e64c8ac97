/** @jest-environment ./test/react/support/browser-environment.js */
import { jest } from '@jest/globals';
import { Suspense, type ReactNode } from 'react';
import { informer, listWatch, nodes, pods, resource, StatusError, type Collection, type Pod } from 'rx-informers';
import { useHasSynced, useList, useSuspenseQuery, useSynced } from 'rx-informers/react';
import { bucketSize, type WatchEvent, watchEvent } from 'rx-informers/store';
import { aPod, createInMemoryApiServer, virtualClock, serverFaults } from 'rx-informers/testing';
import { Subject } from 'rxjs';
import { Boundary } from './support/boundary.js';
import { cluster } from './support/cluster.js';
import { expectComplaints } from './support/console-errors.js';
import { namesOf, noPods, open, podOn, podsOf } from './support/page.js';

const { listed } = watchEvent;

const texts: string[] = [];

/** Shows the current content, and records what it showed. */
function Pods({ of }: { readonly of: Collection<Pod> }): ReactNode {
  useSynced(of);
  const text = namesOf(useList(of));
  texts.push(text);
  return text;
}

function suspended(content: ReactNode): ReactNode {
  return <Suspense fallback="loading">{content}</Suspense>;
}

beforeEach(() => {
  texts.length = 0;
});

describe('useSynced', () => {
  it('suspends until there is content, and shows it at once', async () => {
    const all = noPods();
    const page = open(suspended(<Pods of={all} />));
    expect([page.text(), texts]).toEqual(['loading', []]);
    all.replace([podOn('n1', 'a')]);
    await page.pass(0);
    expect(page.text()).toBe('a');
    expect(new Set(texts)).toEqual(new Set(['a']));
  });

  it('starts all collections that it waits for at once, and not one after another', async () => {
    const { server, scheduler, lists, ...rest } = cluster();
    server.faults.always('any', serverFaults.delay(500));
    const [first, second] = [rest.informer(), rest.informer()];
    function Both(): ReactNode {
      useSynced(first, undefined, second);
      return [useList(first), useList(second)].map(({ length }) => length).join();
    }
    const page = open(suspended(<Both />), { scheduler });
    expect([page.text(), lists.count]).toEqual(['loading', 2]);
    await page.pass(500);
    expect(page.text()).toBe('3,3');
  });

  it('does not wait for undefined collections', () => {
    function None(): ReactNode {
      useSynced(undefined);
      return 'none';
    }
    expect(open(suspended(<None />)).text()).toBe('none');
  });

  it('does not suspend if there is content, nor if it arrives synchronously', () => {
    const page = open([<Pods key="1" of={podsOf(podOn('n1', 'a'))} />, <Pods key="2" of={cluster().informer()} />]);
    expect(page.text()).toBe('aa b c');
  });

  it('starts an informer, and keeps it connected until it has listed, without a second list', async () => {
    const { server, scheduler, lists, ...rest } = cluster();
    server.faults.next('any', serverFaults.delay(60_000));
    const page = open(suspended(<Pods of={rest.informer()} />), { scheduler });
    for (let seconds = 0; seconds < 59; seconds++) await page.pass(1000);
    expect(page.text()).toBe('loading');
    await page.pass(1000);
    await page.pass();
    expect([page.text(), lists.count]).toEqual(['a b c', 1]);
    await page.pass(30_000);
    expect(lists.count).toBe(1);
  });

  it('releases it ten seconds after a suspended component was discarded (G8)', async () => {
    const { server, scheduler, requests, ...rest } = cluster();
    server.faults.always('any', serverFaults.delay(1_000_000));
    const page = open(suspended(<Pods of={rest.informer()} />), { scheduler });
    await page.pass(1000);
    page.show('another page');
    expect(requests.open).toBe(1);
    await page.pass(10_000);
    expect(requests.open).toBe(0);
  });

  it('waits once for all suspended components, however often they are rendered', async () => {
    const { server, scheduler, ...rest } = cluster();
    server.faults.always('any', serverFaults.delay(1000));
    const all = rest.informer();
    const page = open(suspended(<Pods of={all} />), { scheduler });
    const waits = scheduler.timers;
    for (let n = 0; n < 3; n++) page.show(suspended([<Pods key="1" of={all} />, <Pods key="2" of={all} />]));
    expect(scheduler.timers).toBe(waits);
  });

  it('throws at the error boundary if the kind does not exist', async () => {
    expectComplaints();
    const { scheduler, client } = cluster();
    const widgets = resource<Pod>({ group: 'example.com', version: 'v1', plural: 'widgets', namespaced: true });
    const missing = informer(listWatch(client, widgets, { scheduler }), { scheduler });
    const errors: unknown[] = [];
    const page = open(<Boundary errors={errors}>{suspended(<Pods of={missing} />)}</Boundary>, { scheduler });
    await page.pass();
    expect([page.text(), missing.status.state]).toEqual(['failed', 'not-found']);
    expect(errors).toEqual([expect.any(StatusError)]);
  });

  it('leaves the error of an error boundary to React: the informer prints other errors, but not this one (G4)', async () => {
    expectComplaints();
    const scheduler = virtualClock();
    const server = createInMemoryApiServer({ scheduler, users: { token: { name: 'nobody', allow: [] } } });
    server.faults.next('any', serverFaults.delay(100));
    const client = server.clientFor('token');
    const [refused, beside] = [informer(client, pods), informer(client, nodes)];
    const page = open(<Boundary errors={[]}>{suspended(<Pods of={refused} />)}</Boundary>, {
      scheduler,
    });
    const stored = refused.connect();
    // A busy page renders so late that the informer has tried again: it throws the newest error.
    await page.pass(1900);
    expect(page.text()).toBe('failed');
    for (let seconds = 0; seconds < 10; seconds++) await page.pass(1000);
    const printed = jest.mocked(console.error).mock.calls.map((parts) => parts.map(String).join(' '));
    expect(printed.filter((line) => line.includes('403 Forbidden'))).not.toEqual([]);
    expect(printed.filter((line) => line.includes('errors$'))).toEqual([]);

    // Another informer of this client fails with the same status, and then both fail with another.
    jest.mocked(console.error).mockClear();
    const other = beside.connect();
    for (let seconds = 0; seconds < 10; seconds++) await page.pass(1000);
    server.faults.always('any', serverFaults.respond(500));
    for (let seconds = 0; seconds < 600; seconds++) scheduler.advance(1000);
    const lines = jest.mocked(console.error).mock.calls.map((parts) => parts.map(String).join(' '));
    expect(lines).toEqual([
      expect.stringMatching(/^nodes: StatusError: GET .* 403 Forbidden: .*errors\$/),
      expect.stringMatching(/^(pods|nodes).*: StatusError: GET .* 500.*errors\$/),
    ]);
    stored.unsubscribe();
    other.unsubscribe();
  });

  it('lists once in StrictMode', async () => {
    const { server, scheduler, lists, ...rest } = cluster();
    server.faults.next('any', serverFaults.delay(100));
    const page = open(suspended(<Pods of={rest.informer()} />), { scheduler, isStrict: true });
    await page.pass(100);
    await page.pass();
    expect([page.text(), lists.count]).toEqual(['a b c', 1]);
  });

  it('waits for an unreachable server', async () => {
    const { server, scheduler, ...rest } = cluster();
    server.faults.always('any', serverFaults.refuse());
    const page = open(suspended(<Pods of={rest.informer()} />), { scheduler });
    await page.pass(20_000);
    expect(page.text()).toBe('loading');
    server.faults.clear();
    for (let seconds = 0; seconds < 60; seconds++) await page.pass(1000);
    expect(page.text()).toBe('a b c');
  });

  it('throws at the error boundary if the server refuses the list, and works on a retry after it is allowed', async () => {
    expectComplaints();
    const scheduler = virtualClock();
    const server = createInMemoryApiServer({ scheduler, users: { token: { name: 'nobody', allow: [] } } });
    server.apply(aPod({ name: 'a' }));
    server.faults.next('any', serverFaults.delay(100));
    const refused = informer(listWatch(server.clientFor('token'), pods, { scheduler }), { scheduler });
    const errors: unknown[] = [];
    const around = (attempt: number): ReactNode => (
      <Boundary key={attempt} errors={errors}>
        {suspended(<Pods of={refused} />)}
      </Boundary>
    );
    const page = open([around(1), 'the rest'], { scheduler });
    expect(page.text()).toBe('loadingthe rest');
    await page.pass(100);
    await page.pass();
    expect(page.text()).toBe('failedthe rest');
    expect(errors).toEqual([expect.any(StatusError)]);
    server.grant('token', { name: 'somebody', allow: 'everything' });
    for (let seconds = 0; seconds < 60; seconds++) await page.pass(1000);
    page.show([around(2), 'the rest']);
    await page.pass(0);
    expect(page.text()).toBe('athe rest');
  });
});

describe('useSuspenseQuery', () => {
  it('suspends until the result is known, and then follows it', async () => {
    const all = noPods();
    const Size = (): ReactNode => useSuspenseQuery(all, bucketSize('node', 'n1'));
    const page = open(suspended(<Size />));
    expect(page.text()).toBe('loading');
    all.replace([podOn('n1', 'a')]);
    await page.pass(0);
    expect(page.text()).toBe('1');
    all.add(podOn('n1', 'b'));
    await page.pass();
    expect(page.text()).toBe('2');
  });
});

describe('useHasSynced', () => {
  function Count({ of }: { readonly of: Collection<Pod> }): ReactNode {
    const { length } = useList(of);
    const text = useHasSynced(of) ? String(length) : 'loading';
    texts.push(text);
    return text;
  }

  it('distinguishes an empty list from one that is not known yet, together with its content', async () => {
    const [all, none] = [noPods(), noPods()];
    const page = open([<Count key="1" of={all} />, '; ', <Count key="2" of={none} />]);
    expect(page.text()).toBe('loading; loading');
    page.run(() => {
      all.replace([podOn('n1', 'a')]);
      none.replace([]);
    });
    expect([page.text(), texts]).toEqual(['1; 0', ['loading', 'loading', '1', '0']]);
  });

  it('stays true after a source has completed: its content exists', async () => {
    const events$ = new Subject<readonly WatchEvent<Pod>[]>();
    const ended = informer(events$);
    const page = open(<Count of={ended} />);
    page.run(() => events$.next([listed([aPod({ name: 'a' })], '1')]));
    page.run(() => events$.complete());
    await page.pass(1000);
    expect([page.text(), ended.status.state]).toEqual(['1', 'stopped']);
  });

  it('is false again for an informer that has stopped and dropped its content (G6)', async () => {
    const { server, scheduler, ...rest } = cluster();
    const all = rest.informer();
    function Asking(): ReactNode {
      return useHasSynced(all) ? 'synced' : 'loading';
    }
    const page = open([<Asking key="0" />, '; ', <Count key="1" of={all} />], { scheduler });
    expect(page.text()).toBe('synced; 3');
    server.faults.next('any', serverFaults.delay(50));
    page.run(() => all.stop());
    await page.pass();
    expect(page.text()).toBe('loading; loading');
    page.run(() => void all.connect());
    await page.pass(50);
    await page.pass();
    expect(page.text()).toBe('synced; 3');
  });

  it('starts the informer', async () => {
    const { scheduler, lists, ...rest } = cluster();
    const all = rest.informer();
    const Asking = (): ReactNode => String(useHasSynced(all));
    expect(open(<Asking />, { scheduler }).text()).toBe('true');
    expect(lists.count).toBe(1);
  });
});
