import { createIndexer, informer, type Indexer } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { metaNamespaceKey, watchEvent } from 'rx-informers/store';
import { virtualClock } from 'rx-informers/testing';
import { asyncScheduler, concat, NEVER, of, type SchedulerLike, type Subscription } from 'rxjs';
import { internalsOf } from '../../src/collections/log-collection.js';
import { aPod, byNode, type Pod } from '../fixtures/pods.js';
import { busyScheduler, type BusyScheduler } from '../informer/support/busy-scheduler.js';

const COUNT = 10_000;
const quiet = { onUnobservedError: () => undefined, freeze: false } as const;
const nodeNamed = (name: string, generation = 1): Pod => aPod({ name, generation });

interface Setting {
  readonly pods: Indexer<Pod, 'node'>;
  readonly nodes: Indexer<Pod>;
  /** For each pod the generation of its node: all of them are on n1. */
  readonly rows: derived.DerivedCollection<string, 'value'>;
  readonly counted: { calls: number };
}

function setting(scheduler: SchedulerLike, count = COUNT): Setting {
  const pods = createIndexer<Pod, 'node'>(metaNamespaceKey, { node: byNode }, { ...quiet, scheduler });
  const nodes = createIndexer<Pod>(metaNamespaceKey, {}, { ...quiet, scheduler });
  pods.replace(Array.from({ length: count }, (_, number) => aPod({ name: `p${number}`, node: 'n1' })));
  nodes.replace([nodeNamed('n1'), nodeNamed('n2')]);
  const counted = { calls: 0 };
  const rows = derived.derive(
    pods,
    { nodes },
    (pod, read) => {
      counted.calls++;
      return `${read.nodes.get(byNode(pod) ?? '')?.metadata.generation ?? 'none'}`;
    },
    { onUnobservedError: () => undefined, linger: 0, scheduler, indexers: { value: (row) => row } },
  );
  return { pods, nodes, rows, counted };
}

/** Where each look at the clock takes 4 ms, two looks are a slice. */
const busy = (): BusyScheduler => busyScheduler(4);

function started(): Setting & { readonly scheduler: BusyScheduler; readonly connection: Subscription } {
  const scheduler = busy();
  const made = setting(scheduler);
  const started = { ...made, scheduler, connection: made.rows.connect() };
  scheduler.runAll();
  expect(started.rows.indexKeys('value', '1')).toHaveLength(COUNT);
  started.counted.calls = 0;
  return started;
}

describe('J8: a change that affects 10,000 rows', () => {
  it('is one commit that is computed in slices; its root is up to date at once, and all rows change together', () => {
    const { nodes, rows, scheduler, counted } = started();
    const seen: string[] = [];
    nodes.get$('n1').subscribe((node) => seen.push(`node ${node?.metadata.generation}`));
    rows.changes$.subscribe(({ changes }) => seen.push(`${changes.length} rows`));
    rows.byIndex$('value', '2').subscribe((bucket) => seen.push(`bucket ${bucket.length}`));
    seen.length = 0;
    nodes.add(nodeNamed('n1', 2));
    const calls: number[] = [];
    while (seen.length === 0) {
      expect([nodes.get('n1')?.metadata.generation, rows.indexValues('value')]).toEqual([2, ['1']]);
      calls.push(counted.calls);
      scheduler.runNext();
    }
    expect(seen).toEqual(['node 2', `${COUNT} rows`, `bucket ${COUNT}`]);
    expect(calls.length).toBeGreaterThan(8);
    // Every slice computes rows, until all are computed; the last ones build the snapshot.
    const continues = (count: number, turn: number): boolean => count > (calls[turn - 1] ?? -1) || count === COUNT;
    expect([calls.every(continues), counted.calls]).toEqual([true, COUNT]);
    expect([rows.indexValues('value'), scheduler.pending]).toEqual([['2'], 0]);
  });

  it('delays the commits that arrive meanwhile, in order, also those of other roots of the graph', () => {
    const { pods, nodes, rows, scheduler } = started();
    const seen: string[] = [];
    nodes.get$('n1').subscribe((node) => seen.push(`node ${node?.metadata.generation}`));
    pods.get$('p1').subscribe((pod) => seen.push(`pod on ${pod?.spec.nodeName}`));
    rows.get$('p1').subscribe((row) => seen.push(`row ${row}`));
    seen.length = 0;
    nodes.add(nodeNamed('n1', 2));
    pods.add(aPod({ name: 'p1', node: 'n2' }));
    nodes.add(nodeNamed('n2', 5));
    pods.delete('p2');
    expect(seen).toEqual([]);
    scheduler.runAll();
    expect(seen).toEqual(['node 2', 'row 2', 'pod on n2', 'row 1', 'row 5']);
    expect([rows.has('p2'), rows.snapshot.size]).toEqual([false, COUNT - 1]);
  });

  it('leaves the event loop free between the commits that waited for it', () => {
    const { pods, nodes, scheduler } = started();
    const seen: string[] = [];
    nodes.get$('n1').subscribe((node) => seen.push(`node ${node?.metadata.generation}`));
    pods.changes$.subscribe(({ reason, changes }) => seen.push(`${reason} ${changes[0]?.key}`));
    seen.length = 0;
    nodes.add(nodeNamed('n1', 2));
    const waiting = Array.from({ length: 50 }, (_, number) => `p${number}`);
    for (const name of waiting) pods.add(aPod({ name, node: 'n2' }));
    const announced: number[] = [];
    while (scheduler.pending > 0) {
      const before = seen.length;
      scheduler.runNext();
      announced.push(seen.length - before);
    }
    expect(seen).toEqual(['node 2', ...waiting.map((name) => `watch ${name}`)]);
    expect(Math.max(...announced)).toBeLessThan(5);
  });

  it('loses none of the commits that waited for it if the derived collection is unsubscribed from meanwhile, or a subscriber commits', () => {
    const { pods, nodes, scheduler, connection } = started();
    const seen: string[] = [];
    pods.changes$.subscribe(({ changes }) => {
      const key = changes[0]?.key ?? '';
      seen.push(key);
      if (key === 'p3') pods.add(aPod({ name: 'from-a-subscriber', node: 'n2' }));
    });
    seen.length = 0;
    nodes.add(nodeNamed('n1', 2));
    const waiting = Array.from({ length: 50 }, (_, number) => `p${number}`);
    for (const name of waiting) pods.add(aPod({ name, node: 'n2' }));
    while (!seen.includes('p1')) scheduler.runNext();
    expect(seen).not.toContain('p49');
    connection.unsubscribe();
    scheduler.runAll();
    expect(seen).toEqual([...waiting, 'from-a-subscriber']);
  });

  it.each(['stopped', 'unsubscribed from by its last subscriber'])(
    'is dropped if the collection is %s meanwhile; the root still announces its commit',
    (how) => {
      const { nodes, rows, scheduler, counted, pods, connection } = started();
      const seen: string[] = [];
      nodes.get$('n1').subscribe((node) => seen.push(`node ${node?.metadata.generation}`));
      nodes.add(nodeNamed('n1', 2));
      scheduler.runNext();
      if (how === 'stopped') rows.stop();
      else connection.unsubscribe();
      const { calls } = counted;
      scheduler.runAll();
      expect([seen, counted.calls - calls, rows.isRunning]).toEqual([['node 1', 'node 2'], 0, false]);
      for (const input of [nodes, pods]) expect(internalsOf(input as Indexer<Pod>).log.dependents.size).toBe(0);
      expect(scheduler.pending).toBe(0);
    },
  );

  it('is in the first rows of a collection that is stopped and started again meanwhile', () => {
    const { nodes, rows, scheduler } = started();
    nodes.add(nodeNamed('n1', 2));
    scheduler.runNext();
    rows.stop();
    const seen: string[] = [];
    rows.changes$.subscribe(({ reason, changes }) => seen.push(`${reason} ${changes.length}`));
    scheduler.runAll();
    expect([seen, rows.indexKeys('value', '2').length]).toEqual([[`initial ${COUNT}`], COUNT]);
  });

  it.each(['the rows', 'the objects', 'the other input'])(
    'is finished at once if indexes are added to %s meanwhile',
    (what) => {
      const { pods, nodes, rows, scheduler } = started();
      const seen: string[] = [];
      rows.get$('p1').subscribe((row) => seen.push(`row ${row}`));
      nodes.add(nodeNamed('n1', 2));
      // A second round waits, which also takes long.
      nodes.add(nodeNamed('n1', 3));
      scheduler.runNext();
      if (what === 'the rows') rows.addIndexers({ late: (row) => row });
      else (what === 'the objects' ? pods : nodes).addIndexers({ late: ({ metadata: { name } }) => name });
      expect(seen).toEqual(['row 1', 'row 2', 'row 3']);
      scheduler.runAll();
      nodes.add(nodeNamed('n1', 4));
      scheduler.runAll();
      const index = what === 'the rows' ? ('late' as 'value') : 'value';
      expect(rows.indexKeys(index, '4')).toHaveLength(COUNT);
    },
  );

  it('is dropped if its informer is stopped in between, and derived collections complete', () => {
    const scheduler = busy();
    const nodes = createIndexer<Pod>(metaNamespaceKey, {}, { ...quiet, scheduler });
    nodes.replace([nodeNamed('n1')]);
    const listed = watchEvent.listed(
      Array.from({ length: COUNT }, (_, number) => aPod({ name: `p${number}`, node: 'n1' })),
    );
    const pods = informer(concat(of(listed), NEVER), { ...quiet, linger: 0, scheduler });
    const rows = derived.derive(pods, { nodes }, (pod, read) => read.nodes.get(byNode(pod) ?? ''), {
      ...quiet,
      linger: 0,
      scheduler,
    });
    const seen: string[] = [];
    rows
      .get$('p1')
      .subscribe({ next: (node) => seen.push(`${node?.metadata.generation}`), complete: () => seen.push('over') });
    nodes.get$('n1').subscribe((node) => seen.push(`node ${node?.metadata.generation}`));
    scheduler.runAll();
    nodes.add(nodeNamed('n1', 2));
    scheduler.runNext();
    pods.stop();
    scheduler.runAll();
    expect(seen).toEqual(['node 1', '1', 'over', 'node 2']);
    expect([rows.isRunning, pods.isRunning, scheduler.pending]).toEqual([false, false, 0]);
  });
});

describe('J8: while one commit affects 10,000 rows', () => {
  /** `nodes` and `pods` share `rows`; `pods` and `zones` share `view`, if it runs. */
  function chain() {
    const made = started();
    const { pods, nodes, scheduler } = made;
    const zones = createIndexer<Pod>(metaNamespaceKey, {}, { ...quiet, scheduler });
    zones.replace([nodeNamed('z1')]);
    const joined = (left: Indexer<Pod>, right: Indexer<Pod>) =>
      derived.leftJoin(
        left,
        right,
        { on: () => 'default/n1', select: ({ metadata }) => metadata.generation },
        { linger: 0, scheduler },
      );
    const seen: string[] = [];
    const received = (name: string, input: Indexer<Pod>): void => {
      input.changes$.subscribe(({ reason, changes }) => {
        if (reason !== 'initial') seen.push(`${name} ${changes[0]?.key}`);
      });
    };
    received('pods', pods);
    received('nodes', nodes);
    received('zones', zones);
    const beginLong = (): void => {
      nodes.add(nodeNamed('n1', 2));
      expect([seen, scheduler.pending]).toEqual([[], 1]);
    };
    return { ...made, zones, seen, beginLong, joined };
  }

  it('an input that shares only another input with it is announced at once, with its own derived rows', () => {
    const { pods, zones, seen, beginLong, joined, scheduler } = chain();
    const view = joined(zones, pods);
    view.changes$.subscribe(({ reason }) => seen.push(`view ${reason}`));
    scheduler.runAll();
    expect(seen.splice(0)).toEqual(['view initial']);
    beginLong();
    zones.add(nodeNamed('z1', 7));
    expect([seen.splice(0), view.list()]).toEqual([['zones z1', 'view watch'], [7]]);
    pods.add(aPod({ name: 'p1', node: 'n2' }));
    zones.add(nodeNamed('z2'));
    expect(seen).toEqual([]);
    scheduler.runAll();
    expect(seen).toEqual(['nodes n1', 'pods p1', 'zones z2', 'view watch']);
  });

  it('an input is announced at once if the derived collection that it had in common was stopped', () => {
    const { nodes, zones, seen, beginLong, joined, scheduler } = chain();
    const view = joined(zones, nodes);
    view.connect();
    scheduler.runAll();
    view.stop();
    beginLong();
    zones.add(nodeNamed('z2'));
    expect(seen).toEqual(['zones z2']);
    scheduler.runAll();
    expect(seen).toEqual(['zones z2', 'nodes n1']);
  });

  it('an input is announced at once if the collection that linked it to a waiting input was stopped; the waiting input waits', () => {
    const { pods, zones, seen, beginLong, joined, scheduler } = chain();
    const view = joined(zones, pods);
    view.connect();
    scheduler.runAll();
    beginLong();
    pods.add(aPod({ name: 'p1', node: 'n2' }));
    view.stop();
    zones.add(nodeNamed('z2'));
    expect(seen).toEqual(['zones z2']);
    scheduler.runAll();
    expect(seen).toEqual(['zones z2', 'nodes n1', 'pods p1']);
  });

  it('a collection that begins to share rows with it syncs after it, and loses no change', () => {
    const { nodes, zones, seen, beginLong, joined, scheduler } = chain();
    beginLong();
    const view = joined(nodes, zones);
    view.changes$.subscribe(({ reason }) => seen.push(`view ${reason} ${JSON.stringify(view.list())}`));
    scheduler.runAll();
    expect(seen).toEqual(['nodes n1', 'view initial [2,1]']);
  });

  it('a commit of an input that shares the rows waits for it, and `announcementDelays$` emits how long', () => {
    const { pods, nodes, scheduler, beginLong, zones } = chain();
    const delays: string[] = [];
    for (const [name, { log }] of Object.entries({ pods, nodes, zones }).map(
      ([name, input]) => [name, internalsOf(input as Indexer<Pod>)] as const,
    )) {
      log.announcementDelays.subscribe((milliseconds) => {
        delays.push(`${name} ${milliseconds > 100 ? 'long' : 'short'}`);
      });
    }
    beginLong();
    zones.add(nodeNamed('z2'));
    pods.add(aPod({ name: 'p1', node: 'n2' }));
    expect(delays.splice(0)).toEqual(['zones short']);
    scheduler.runAll();
    expect(delays).toEqual(['nodes long', 'pods long']);
  });
});

describe('J8: the first rows of a large derived collection', () => {
  it('are computed in slices while the inputs continue, and the first commit contains the changes meanwhile', () => {
    const scheduler = busy();
    const { pods, nodes, rows, counted } = setting(scheduler);
    const seen: string[] = [];
    nodes.get$('n2').subscribe((node) => seen.push(`node ${node?.metadata.generation}`));
    rows.changes$.subscribe(({ reason, changes }) => seen.push(`${reason} ${changes.length}`));
    scheduler.runNext();
    scheduler.runNext();
    expect([rows.hasSynced, counted.calls > 0]).toEqual([false, true]);
    nodes.add(nodeNamed('n2', 7));
    pods.add(aPod({ name: 'p0', node: 'n2' }));
    pods.add(aPod({ name: `p${COUNT - 1}`, node: 'n2' }));
    pods.add(aPod({ name: 'new', node: 'n2' }));
    pods.delete('p1');
    pods.delete(`p${COUNT - 2}`);
    // The inputs do not wait.
    expect(seen.splice(0)).toEqual(['node 1', 'node 7']);
    scheduler.runAll();
    expect(seen).toEqual([`initial ${COUNT - 1}`]);
    expect(rows.indexKeys('value', '7')).toEqual(['new', 'p0', `p${COUNT - 1}`]);
    expect(rows.indexKeys('value', '1')).toHaveLength(COUNT - 4);
    // The catch-up costs a call for each row that changed, not for all.
    expect(counted.calls).toBeLessThan(COUNT + 6);
  });

  it('are put in slices into an index with a value for each row', () => {
    const scheduler = busy();
    const { pods } = setting(scheduler);
    let calls = 0;
    const names = derived.map(
      pods,
      (pod) => {
        calls++;
        return pod.metadata.name;
      },
      { scheduler, indexers: { name: (name) => name } },
    );
    names.connect();
    let turns = 0;
    while (!names.hasSynced) {
      if (calls === COUNT) turns++;
      scheduler.runNext();
    }
    expect(names.indexKeys('name', 'p7')).toEqual(['p7']);
    // A slice has 512 values, and one look at the clock in two ends a turn.
    expect(turns).toBeGreaterThan(COUNT / 512 / 2);
  });

  it('include an index that is added while they are computed', () => {
    const scheduler = busy();
    const { rows } = setting(scheduler);
    rows.connect();
    scheduler.runNext();
    rows.addIndexers({ late: (row) => `late ${row}` });
    scheduler.runAll();
    expect(rows.indexKeys('late' as 'value', 'late 1')).toHaveLength(COUNT);
  });

  it('are dropped when the collection is closed, and computed again for the next subscriber', () => {
    const scheduler = busy();
    const { pods, nodes, rows, counted } = setting(scheduler);
    const connection = rows.connect();
    scheduler.runNext();
    connection.unsubscribe();
    const { calls } = counted;
    expect(scheduler.pending).toBe(0);
    for (const input of [nodes, pods]) expect(internalsOf(input as Indexer<Pod>).log.dependents.size).toBe(0);
    rows.connect();
    scheduler.runAll();
    expect([rows.snapshot.size, counted.calls - calls]).toEqual([COUNT, COUNT]);
  });

  it('of 100,000 objects do not block the event loop, on the real clock', async () => {
    const { rows, nodes, counted } = setting(asyncScheduler, 100_000);
    /** The calls that were made when the event loop was free. */
    let seen = new Set<number>();
    let looking: NodeJS.Immediate;
    const look = (): void => {
      seen.add(counted.calls);
      looking = setImmediate(look);
    };
    look();
    try {
      rows.connect();
      await rows.whenSynced();
      expect(rows.snapshot.size).toBe(100_000);
      expect([...seen].some((calls) => calls > 0 && calls < 100_000)).toBe(true);
      seen = new Set();
      nodes.add(nodeNamed('n1', 2));
      await rows.until('p1', (row) => row === '2');
      expect([...seen].some((calls) => calls > 100_000 && calls < 200_000)).toBe(true);
    } finally {
      clearImmediate(looking!);
      rows.stop();
    }
  });

  it('are computed without interruption in virtual time', () => {
    const { rows, nodes } = setting(virtualClock());
    rows.connect();
    expect(rows.snapshot.size).toBe(COUNT);
    nodes.add(nodeNamed('n1', 2));
    expect(rows.indexKeys('value', '2')).toHaveLength(COUNT);
  });
});
