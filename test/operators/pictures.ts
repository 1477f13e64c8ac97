import {
  conflateChanges,
  dedupDeltas,
  filterUpdates,
  generationChanged,
  indexByNode,
  informer,
  reduceStore,
  toDeltas,
  type ChangeSet,
} from 'rx-informers';
import { latestOnly, type Commit, type Delta, type WatchEvent } from 'rx-informers/store';
import { conflateMap, filterObjects, resync, coalesceFrames, pauseChangesWhile, pauseWhile } from 'rx-informers/views';
import { animationFrameScheduler, map, timer, type Observable } from 'rxjs';
import type { RunHelpers } from 'rxjs/testing';
import { added, changeSet, deleted, updated } from '../fixtures/changes.js';
import { aPod, type Pod } from '../fixtures/pods.js';

/** One line of a picture: a diagram, and the values of its letters. */
export interface Line {
  readonly marbles: string;
  readonly values?: Readonly<Record<string, unknown>>;
  /** The text beside the line. */
  readonly name: string;
}

/**
 * A diagram of `docs/marbles`. `pictures.test.ts` runs it and `npm run docs:update` draws it, so
 * the picture shows what the operator really does.
 */
export interface Picture {
  readonly name: string;
  /** The code in the box of the picture. */
  readonly code: string;
  readonly inputs: readonly Line[];
  readonly output: Line;
  /** Subscribes as a user would. `second` is the second input. */
  readonly run: (input: Observable<never>, helpers: RunHelpers, second: Observable<never>) => Observable<unknown>;
}

const one = aPod({ version: 1, generation: 1, uid: 'u', node: 'n1', labels: { app: 'web' } });
const two = aPod({ version: 2, generation: 1, uid: 'u', node: 'n1', labels: { app: 'web' } });
const three = aPod({ version: 3, generation: 2, uid: 'u', node: 'n1', labels: { app: 'web' } });
const other = aPod({ name: 'b', version: 4, uid: 'v', node: 'n2', labels: { app: 'db' } });

const changes = {
  i: changeSet('initial', added(one)),
  u: changeSet('watch', updated(one, two)),
  v: changeSet('watch', updated(two, three)),
  w: changeSet('watch', updated(one, three)),
  b: changeSet('watch', added(other)),
  d: changeSet('watch', deleted(three)),
  n: changeSet('initial', added(three)),
  r: changeSet('resync', updated(two, two)),
} satisfies Record<string, ChangeSet<Pod>>;

const gate = { p: true, r: false };

const events = {
  L: { type: 'LISTED', items: [one], resourceVersion: '1' },
  U: { type: 'MODIFIED', object: two },
  V: { type: 'MODIFIED', object: three },
  B: { type: 'ADDED', object: other },
  D: { type: 'DELETED', object: three },
} satisfies Record<string, WatchEvent<Pod>>;

const keyed = (object: Pod): { readonly key: string; readonly object: Pod } => ({ key: object.metadata.name, object });
const deltas = {
  l: [{ type: 'ReplacedAll', items: [keyed(one)], resourceVersion: '1' }],
  u: [{ type: 'Updated', ...keyed(two) }],
  v: [{ type: 'Updated', ...keyed(three) }],
  t: [
    { type: 'Updated', ...keyed(two) },
    { type: 'Updated', ...keyed(three) },
  ],
  d: [{ type: 'Deleted', ...keyed(three), finalStateUnknown: false }],
} satisfies Record<string, readonly Delta<Pod>[]>;

export const pictures: readonly Picture[] = [
  {
    name: 'to-deltas',
    code: 'toDeltas()',
    inputs: [{ name: 'watch events', marbles: '-L--U--D-|', values: events }],
    output: { name: 'deltas', marbles: '-l--u--d-|', values: deltas },
    run: (source) => source.pipe(toDeltas()),
  },
  {
    name: 'dedup-deltas',
    code: 'dedupDeltas(latestOnly)',
    inputs: [{ name: 'deltas', marbles: '-l--t--d-|', values: deltas }],
    output: { name: 'deltas', marbles: '-l--v--d-|', values: deltas },
    run: (source) => source.pipe(dedupDeltas(latestOnly)),
  },
  {
    name: 'reduce-store',
    code: 'reduceStore()',
    inputs: [{ name: 'deltas', marbles: '-l--v--d-|', values: deltas }],
    output: { name: 'snapshots', marbles: '-x--y--z-|', values: { x: [one], y: [three], z: [] } },
    run: (source) =>
      source.pipe(
        reduceStore<Pod>(),
        map(({ snapshot }: Commit<Pod>) => snapshot.list()),
      ),
  },
  {
    name: 'filter-updates',
    code: 'filterUpdates(generationChanged)',
    inputs: [{ name: 'changes$', marbles: '-i--u--v--d-|', values: changes }],
    output: { name: '', marbles: '-i-----v--d-|', values: changes },
    run: (source) => source.pipe(filterUpdates<Pod>(generationChanged)),
  },
  {
    name: 'filter-objects',
    code: "filterObjects('app=web')",
    inputs: [{ name: 'changes$', marbles: '-i--b--u--|', values: changes }],
    output: { name: '', marbles: '-i-----u--|', values: changes },
    run: (source) => source.pipe(filterObjects('app=web')),
  },
  {
    name: 'resync',
    code: 'resync(6)',
    inputs: [{ name: 'changes$', marbles: '-i--u-----|', values: changes }],
    output: { name: '', marbles: '-i--u--r--|', values: changes },
    run: (source) => source.pipe(resync(6)),
  },
  {
    name: 'conflate-changes',
    code: 'conflateChanges({ every: 4 })',
    inputs: [{ name: 'changes$', marbles: '-i-v-------d----|', values: changes }],
    output: { name: '', marbles: '-----n---------d|', values: changes },
    run: (source) => source.pipe(conflateChanges({ every: 4 })),
  },
  {
    name: 'conflate-changes-release',
    code: 'conflateChanges({ release })',
    inputs: [
      { name: 'changes$', marbles: '---u-v------b--|', values: changes },
      { name: 'release', marbles: '--r---r---r---r-', values: { r: 'r' } },
    ],
    output: { name: '', marbles: '------w-------b|', values: changes },
    run: (source, _, release) => source.pipe(conflateChanges({ release })),
  },
  {
    name: 'conflate-map',
    code: 'conflateMap((set) => save(set))',
    inputs: [{ name: 'changes$', marbles: '-i-u-v-----------|', values: changes }],
    output: { name: 'saved', marbles: '-------i-----w---|', values: changes },
    run: (source) => source.pipe(conflateMap<Pod, unknown>((set) => timer(6).pipe(map(() => set)))),
  },
  {
    name: 'pause-changes-while',
    code: 'pauseChangesWhile(paused$)',
    inputs: [
      { name: 'changes$', marbles: '-i--u-v--d-|', values: changes },
      { name: 'paused$', marbles: '--p----r----', values: gate },
    ],
    output: { name: '', marbles: '-i-----w-d-|', values: changes },
    run: (source, _, paused) => source.pipe(pauseChangesWhile(paused)),
  },
  {
    name: 'pause-while',
    code: 'pauseWhile(paused$)',
    inputs: [
      { name: 'values', marbles: '-a--b-c--d-|' },
      { name: 'paused$', marbles: '--p----r----', values: gate },
    ],
    output: { name: '', marbles: '-a-----c-d-|' },
    run: (source, _, paused) => source.pipe(pauseWhile(paused)),
  },
  {
    name: 'coalesce-frames',
    code: 'coalesceFrames()',
    inputs: [
      { name: 'values', marbles: '-a--bc-d--e-----|' },
      { name: 'frames', marbles: '----x---x---x---x', values: { x: 'x' } },
    ],
    output: { name: '', marbles: '-a------d---e---|' },
    run: (source, { animate }) => {
      animate('                             ----x---x---x---x');
      return source.pipe(coalesceFrames(animationFrameScheduler));
    },
  },
  {
    name: 'by-index',
    code: "byIndex$('node', 'n1')",
    inputs: [{ name: 'watch events', marbles: '-L--B--U--V--D-|', values: events }],
    output: { name: '', marbles: '-x-----y--z--e-|', values: { x: [one], y: [two], z: [three], e: [] } },
    run: (source) => informer(source, { linger: 0, indexers: { node: indexByNode } }).byIndex$('node', 'n1'),
  },
];
