import fc from 'fast-check';
import { retry, timer } from 'rxjs';
import { informer, type Pod, indexByNode, type ChangeSet } from 'rx-informers';
import { watchMarbles, sourceFaults, informerTest } from 'rx-informers/testing';
import { objects, record } from '../marbles/support.js';
import { anyHistory, serverOf } from './history.js';

const spell = ({ metadata, spec }: Pod): string => `${metadata.uid}@${metadata.resourceVersion} on ${spec?.nodeName}`;

/** What somebody holds who has nothing but the changes; complains about a change that does not follow from those before it. */
function follower(): { readonly apply: (set: ChangeSet<Pod>) => void; readonly held: Map<string, string> } {
  const held = new Map<string, string>();
  const apply = ({ changes }: ChangeSet<Pod>): void => {
    for (const change of changes) {
      const before =
        change.type === 'added' ? undefined : change.type === 'updated' ? spell(change.previous) : held.get(change.key);
      expect([change.type, held.get(change.key)]).toEqual([change.type, before]);
      if (change.type === 'deleted') expect(held.delete(change.key)).toBe(true);
      else held.set(change.key, spell(change.object));
    }
  };
  return { apply, held };
}

describe('sourceFaults.random', () => {
  it('G1 G5 G7: an informer holds in the end what its source does, whatever went wrong on the way', () => {
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
          expect([...early.held.values()].sort()).toEqual(final.map(spell).sort());
          expect(later.held).toEqual(early.held);
          expect(bucket).toEqual(final.filter(({ spec }) => spec?.nodeName === 'n1').map(spell));
          following.unsubscribe();
        });
      }),
      { numRuns: 50, endOnFailure: true },
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

  it('brings about each kind of fault', () => {
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
