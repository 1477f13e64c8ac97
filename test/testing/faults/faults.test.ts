import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { type Pod, type Source, informer, indexByNode, type ChangeSet } from 'rx-informers';
import { type WatchEvent, watchEvent } from 'rx-informers/store';
import {
  aPod,
  serverFaults,
  sourceFaults,
  watchMarbles,
  randomFromSeed,
  informerTest,
  type SourceFault,
} from 'rx-informers/testing';
import { concat, from, NEVER, of, retry, take, tap, timer, EMPTY, throwError } from 'rxjs';
import { a, b, objects, record } from '../marbles/support.js';
import { anyHistory, serverOf } from './history.js';

const guide = readFileSync('docs/how-to/testing-faults.md', 'utf8');

/** The rows of the table of faults: the word, and whether sources and servers have it. */
const rows = [...guide.matchAll(/^\| `(\w+)` \| (.*?) \| (.*?) \|$/gm)].map(([, word = '', source, server]) => ({
  word,
  source: source !== '–',
  server: server !== '–',
}));

describe('the names of faults', () => {
  it('of sources equal the table in docs/how-to/testing-faults.md', () => {
    expect(rows.filter(({ source }) => source).map(({ word }) => word)).toEqual(
      expect.arrayContaining(Object.keys(sourceFaults)),
    );
    expect(rows.filter(({ source }) => source)).toHaveLength(Object.keys(sourceFaults).length);
  });

  it('of servers equal the table in docs/how-to/testing-faults.md', () => {
    expect(rows.filter(({ server }) => server).map(({ word }) => word)).toEqual(
      expect.arrayContaining(Object.keys(serverFaults)),
    );
    expect(rows.filter(({ server }) => server)).toHaveLength(Object.keys(serverFaults).length);
  });

  it('are the same for the same fault of a source and of a server', () => {
    const shared = Object.keys(sourceFaults).filter((word) => word in serverFaults);
    expect(shared.sort()).toEqual(['delay', 'drop', 'duplicate', 'expire', 'random', 'stall']);
  });
});

const source = (diagram: string): Source<Pod> => watchMarbles(diagram, objects);

describe('sourceFaults.duplicate', () => {
  it('emits each change several times in its batch, and nothing else', () => {
    expect(record(() => source('[L(a)B][M(a)410D(b)]').pipe(sourceFaults.duplicate({ times: 3 })))).toEqual([
      '0: L1(a@1) B2',
      '7: M(a@3) M(a@3) M(a@3) 410 D(b@4) D(b@4) D(b@4)',
    ]);
  });

  it('repeats only changes that its predicate selects', () => {
    const which = ({ type }: WatchEvent<Pod>): boolean => type === 'DELETED';
    expect(record(() => source('[A(a)D(a)]').pipe(sourceFaults.duplicate({ which })))).toEqual([
      '0: A(a@1) D(a@2) D(a@2)',
    ]);
  });
});

describe('sourceFaults.drop', () => {
  it('fails on its notifier, also in each later subscription', () => {
    const dropped = source('L(a)-A(b)|').pipe(sourceFaults.drop(timer(2)), retry(1));
    expect(record(() => dropped)).toEqual([
      '0: L1(a@1)',
      '2: L1(a@1)',
      '4: # GET /marbles: ECONNRESET: made for a test',
    ]);
  });

  it('accepts another error', () => {
    expect(record(() => source('L(a)').pipe(sourceFaults.drop(timer(2), new Error('mine'))))).toEqual([
      '0: L1(a@1)',
      '2: # mine',
    ]);
  });
});

describe('sourceFaults.delay', () => {
  it('emits everything later, including the end', () => {
    expect(record(() => source('L(a)-A(b)|').pipe(sourceFaults.delay(10)))).toEqual([
      '10: L1(a@1)',
      '15: A(b@2)',
      '19: |',
    ]);
    expect(record(() => source('B#').pipe(sourceFaults.delay(10)))).toEqual([
      '10: B1',
      '11: # the source failed, as its diagram says',
    ]);
  });

  it('keeps the order, however long each batch takes', () => {
    const durations = [20, 0, 0, 30];
    const jittery = source('BBBB').pipe(sourceFaults.delay(() => durations.shift() ?? 0));
    expect(record(() => jittery)).toEqual(['20: B1', '20: B2', '20: B3', '33: B4']);
  });
});

describe('sourceFaults.stall', () => {
  it('emits nothing after its notifier, not even the end', () => {
    expect(record(() => source('B-B-|').pipe(sourceFaults.stall(timer(1))))).toEqual(['0: B1']);
    expect(record(() => source('B-B-#').pipe(sourceFaults.stall(timer(1))))).toEqual(['0: B1']);
  });

  it('emits the held batches when the silence ends, and then continues normally', () => {
    const silent = source('-B-[BB]-B---B|').pipe(sourceFaults.stall(timer(2), timer(8)));
    expect(record(() => silent)).toEqual(['1: B1', '10: B2 B3', '10: B4', '12: B5', '13: |']);
  });
});

describe('sourceFaults.split', () => {
  it('emits pieces, with pauses in between, and the end after them', () => {
    expect(record(() => source('[BBBBB]-|').pipe(sourceFaults.split({ size: 2, interval: 10 })))).toEqual([
      '0: B1 B2',
      '10: B3 B4',
      '20: B5',
      '30: |',
    ]);
  });

  it('does not split a list, and passes an empty batch on unchanged', () => {
    expect(record(() => source('[L(ab)B]').pipe(sourceFaults.split()))).toEqual(['0: L2(a@1 b@2)', '0: B3']);
    expect(record(() => of([]).pipe(sourceFaults.split()))).toEqual(['0: ', '0: |']);
  });
});

describe('sourceFaults.reorder', () => {
  const mixed = (seed: number): string =>
    record(() => source('[A(ab)M(ab)410M(ab)L(c)D(ba)]').pipe(sourceFaults.reorder(randomFromSeed(seed)))).join();

  it('mixes objects, and keeps the order within each object and across everything that is not a change', () => {
    const orders = new Set(Array.from({ length: 50 }, (_, seed) => mixed(seed)));
    expect(orders.size).toBeGreaterThan(10);
    for (const order of orders) {
      expect(order.match(/\w\(a@\d\)/g)).toEqual(['A(a@1)', 'M(a@3)', 'M(a@5)', 'D(a@9)']);
      expect(order.match(/\w\(b@\d\)/g)).toEqual(['A(b@2)', 'M(b@4)', 'M(b@6)', 'D(b@8)']);
      expect(order).toMatch(/^0: [AM]\S+ \S+ \S+ \S+ 410 M\S+ M\S+ L7\(c@7\) D\S+ D\S+$/);
    }
  });

  it('repeats itself for the same seed', () => {
    expect(mixed(3)).toBe(mixed(3));
  });
});

describe('sourceFaults.repeat', () => {
  it('emits the last changes again, as one batch', () => {
    const repeating = source('L(a)-A(b)M(a)D(b)').pipe(sourceFaults.repeat(timer(20), 2));
    expect(record(() => repeating)).toEqual([
      '0: L1(a@1)',
      '5: A(b@2)',
      '9: M(a@3)',
      '13: D(b@4)',
      '20: M(a@3) D(b@4)',
    ]);
  });

  it('never goes back behind a list, and emits nothing if there is nothing to repeat', () => {
    expect(record(() => source('[A(a)L()]').pipe(sourceFaults.repeat(timer(20))))).toEqual(['0: A(a@1) L1()']);
  });

  it('completes with its source', () => {
    expect(record(() => source('A(a)|').pipe(sourceFaults.repeat(timer(20))))).toEqual(['0: A(a@1)', '4: |']);
  });
});

describe('sourceFaults.expire', () => {
  const { added, deleted, listed, modified } = watchEvent;

  it('G7: emits 410, drops events for a while, and then lists the current state', () => {
    const expiring = source('L(ab)-D(a)-M(b)-B-[S(w)X]-A(c)').pipe(sourceFaults.expire(timer(5), { gap: 20 }));
    expect(record(() => expiring)).toEqual([
      '0: L2(a@1 b@2)',
      '5: 410',
      '18: S(watching) RXI_CONNECTION',
      '25: L5(b@4)',
      '26: A(c@6)',
    ]);
  });

  it('lists at once without a gap, and each time', () => {
    const expiring = source('L(a)').pipe(sourceFaults.expire(timer(10, 10).pipe(take(2))));
    expect(record(() => expiring)).toEqual(['0: L1(a@1)', '10: 410', '10: L1(a@1)', '20: 410', '20: L1(a@1)']);
  });

  it('lists the missed changes if the source completes in the gap', () => {
    expect(record(() => source('L(ab)-D(a)|').pipe(sourceFaults.expire(timer(5), { gap: 100 })))).toEqual([
      '0: L2(a@1 b@2)',
      '5: 410',
      '10: L3(b@2)',
      '10: |',
    ]);
  });

  it('does nothing before the first list', () => {
    expect(record(() => source('--A(a)L(a)').pipe(sourceFaults.expire(timer(1), { gap: 3 })))).toEqual([
      '1: 410',
      '2: A(a@1)',
      '6: L1(a@1)',
    ]);
  });

  it('costs the same for any number of objects: 3000 changes among 20,000 objects take less than a second of processor time', () => {
    const pod = (name: string, version: number): Pod => aPod({ name, resourceVersion: version });
    const all = Array.from({ length: 20_000 }, (_, number) => pod(`p${number}`, 1));
    const changes = Array.from({ length: 3000 }, (_, number) => modified(pod(`p${number}`, number + 2)));
    const startedAt = process.cpuUsage();
    let last: WatchEvent<Pod> | undefined;
    from([[listed(all)], ...changes.map((change) => [change])])
      .pipe(sourceFaults.expire<Pod>(NEVER))
      .subscribe((batch) => (last = batch.at(-1)));
    expect(last).toBe(changes.at(-1));
    const { user, system } = process.cpuUsage(startedAt);
    expect((user + system) / 1000).toBeLessThan(1000);
  });

  it('fails with an error of its source, also in the gap', () => {
    expect(record(() => source('L(a)-#').pipe(sourceFaults.expire(timer(2), { gap: 100 })))).toEqual([
      '0: L1(a@1)',
      '2: 410',
      '5: # the source failed, as its diagram says',
    ]);
  });

  it('lists each partition separately, and keeps objects that a list could not deliver', () => {
    const events: readonly WatchEvent<Pod>[] = [
      { ...listed([a, b], '5'), partition: 'east' },
      { ...listed([a], '6'), partition: 'west' },
      { ...listed([a], '7'), missing: ['default/b', 'default/unknown', 'cluster-scoped'], partition: 'east' },
      { ...added(b), partition: 'west' },
      { ...modified(b), partition: 'west' },
      { ...deleted(a), partition: 'west' },
    ];
    const expired: unknown[] = [];
    record(() =>
      concat(of(events), NEVER).pipe(
        sourceFaults.expire(timer(1)),
        tap((batch) => expired.push(batch)),
      ),
    );
    expect(expired.at(-1)).toEqual([
      { type: 'LISTED', items: [a, b], resourceVersion: '7', partition: 'east' },
      { type: 'LISTED', items: [b], resourceVersion: '1', partition: 'west' },
    ]);
  });
});

const spell = ({ metadata, spec }: Pod): string => `${metadata.uid}@${metadata.resourceVersion} on ${spec?.nodeName}`;

/**
 * The content by the changes alone; complains about a change that does not follow from those before
 * it.
 */
function follower(): { readonly apply: (set: ChangeSet<Pod>) => void; readonly stored: Map<string, string> } {
  const stored = new Map<string, string>();
  const apply = ({ changes }: ChangeSet<Pod>): void => {
    for (const change of changes) {
      const before =
        change.type === 'added'
          ? undefined
          : change.type === 'updated'
            ? spell(change.previous)
            : stored.get(change.key);
      expect([change.type, stored.get(change.key)]).toEqual([change.type, before]);
      expect(stored.has(change.key)).toBe(change.type !== 'added');
      if (change.type === 'deleted') stored.delete(change.key);
      else stored.set(change.key, spell(change.object));
    }
  };
  return { apply, stored };
}

describe('sourceFaults.random', () => {
  it('G1 G5 G7: an informer has the content of its source in the end, for any faults', () => {
    fc.assert(
      fc.property(fc.integer(), anyHistory, fc.nat(8000), (seed, steps, late) => {
        informerTest(({ flush }) => {
          const server = serverOf(steps);
          const faulty = server.source.pipe(sourceFaults.random(seed, { duration: server.length + 500, every: 500 }));
          const pods = informer(faulty, {
            indexers: { node: indexByNode },
            random: () => 0.5,
            onUnobservedError: () => {},
          });
          const [early, later] = [follower(), follower()];
          const following = pods.changes$.subscribe(early.apply);
          timer(late).subscribe(() => following.add(pods.changes$.subscribe(later.apply)));
          let bucket: readonly string[] = [];
          following.add(pods.byIndex$('node', 'n1').subscribe((onNode) => (bucket = onNode.map(spell))));
          flush();
          const final = server.content();
          expect(pods.isRunning).toBe(true);
          expect(pods.list().map(spell)).toEqual(final.map(spell));
          expect([...early.stored.values()].sort()).toEqual(final.map(spell).sort());
          expect(later.stored).toEqual(early.stored);
          expect(bucket).toEqual(final.filter(({ spec }) => spec?.nodeName === 'n1').map(spell));
          following.unsubscribe();
        });
      }),
      { numRuns: 15, endOnFailure: true },
    );
  });

  const faulty = (seed: number): string[] =>
    record(
      () =>
        watchMarbles('L(ab) 400ms M(a) 900ms [D(a)M(b)A(c)] 1s M(b) 5s B', objects).pipe(
          sourceFaults.random(seed, { duration: 4000 }),
          retry(),
        ),
      20_000,
    );

  it('does the same for the same seed, and something else for another one', () => {
    expect(faulty(1)).toEqual(faulty(1));
    expect(new Set([1, 2, 3, 4, 5].map((seed) => faulty(seed).join())).size).toBe(5);
  });

  it('causes each kind of fault', () => {
    const all = Array.from({ length: 40 }, (_, seed) => faulty(seed).join('\n')).join('\n');
    expect(faulty(0).filter((line) => line.includes('L2(')).length).toBeGreaterThan(1);
    expect(all).toContain(': 410');
    expect(all).toMatch(/A\(c@\d\) A\(c@\d\)/);
  });

  it('begins no fault once its time has expired', () => {
    const quiet = record(
      () => watchMarbles('L(a) 30s M(a)A(b)|', objects).pipe(sourceFaults.random(5, { duration: 0 })),
      40_000,
    );
    expect(quiet).toEqual(['0: L1(a@1)', '30004: M(a@2)', '30008: A(b@3)', '30012: |']);
  });
});

const never: readonly [string, () => SourceFault<Pod>][] = [
  ['sourceFaults.delay', () => sourceFaults.delay(0)],
  ['sourceFaults.drop', () => sourceFaults.drop(NEVER)],
  ['sourceFaults.duplicate', () => sourceFaults.duplicate({ times: 1 })],
  ['sourceFaults.expire', () => sourceFaults.expire(NEVER)],
  ['sourceFaults.stall', () => sourceFaults.stall(NEVER)],
  ['sourceFaults.random', () => sourceFaults.random(1, { duration: 0 })],
  ['sourceFaults.reorder', () => sourceFaults.reorder(() => 0)],
  ['sourceFaults.repeat', () => sourceFaults.repeat(NEVER)],
  ['sourceFaults.split', () => sourceFaults.split()],
];

describe.each(never)('%s without faults', (_name, fault) => {
  const { added, bookmark } = watchEvent;

  const x = [added(a)];
  const y = bookmark('7');

  it('passes everything on as batches, and completes with its source', () => {
    informerTest(({ hot, expectObservable, expectSubscriptions }) => {
      const source = hot('-x-y-|', { x, y });
      expectObservable(source.pipe(fault())).toBe('-x-y-|', { x, y: [y] });
      expectSubscriptions(source.subscriptions).toBe('^----!');
    });
  });

  it('passes an error on, after the events before it', () => {
    informerTest(({ hot, expectObservable, expectSubscriptions }) => {
      const source = hot('-x-#', { x }, new Error('broken'));
      expectObservable(source.pipe(fault())).toBe('-x-#', { x }, new Error('broken'));
      expectSubscriptions(source.subscriptions).toBe('^--!');
    });
  });

  it('unsubscribes from its source when its subscriber unsubscribes', () => {
    informerTest(({ hot, expectObservable, expectSubscriptions }) => {
      const source = hot('-x-x-x', { x });
      expectObservable(source.pipe(fault()), '^---!').toBe('-x-x', { x });
      expectSubscriptions(source.subscriptions).toBe('^---!');
    });
  });

  it('accepts sources that are empty or synchronous', () => {
    informerTest(({ expectObservable }) => {
      expectObservable(EMPTY.pipe(fault())).toBe('|');
      expectObservable(of(x).pipe(fault())).toBe('(x|)', { x });
      expectObservable(throwError(() => new Error('no')).pipe(fault())).toBe('#', {}, new Error('no'));
    });
  });

  it('starts over with each subscription', () => {
    informerTest(({ cold, expectObservable }) => {
      const faulty = cold('-x|', { x }).pipe(fault());
      expectObservable(faulty).toBe('-x|', { x });
      expectObservable(faulty, '---^').toBe('----x|', { x });
    });
  });
});
