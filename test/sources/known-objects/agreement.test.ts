import fc from 'fast-check';
import { informer, listWatch, mergeSources, type ChangeSet, type Informer, type InformerOptions } from 'rx-informers';
import { overlay, type OverlaidSource } from 'rx-informers/controller';
import { latestOnly } from 'rx-informers/store';
import { virtualClock } from 'rx-informers/testing';
import { identity, map } from 'rxjs';
import type { ListWatchOptions } from '../../../src/sources/list-watch.js';
import { sourceWithKnownObjects, type Source } from '../../../src/sources/model/source.js';
import { chooseScanner } from '../../../src/sources/wire/choose-scanner.js';
import { pods, type Pod } from '../../fixtures/pods.js';
import { ModelServer, oddityCount, type Operation } from './support/model-server.js';

/** Few names, so that most operations concern an object that is there. */
const someName = fc.constantFrom('a', 'b', 'c', 'd');

const someOperation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ type: fc.constant('create' as const), name: someName }) },
  { weight: 8, arbitrary: fc.record({ type: fc.constant('status' as const), name: someName }) },
  { weight: 5, arbitrary: fc.record({ type: fc.constantFrom('spec' as const, 'labels' as const), name: someName }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constantFrom('delete' as const, 'recreate' as const), name: someName }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constantFrom('stale' as const, 'default' as const), name: someName }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constantFrom('again' as const, 'bookmark' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constantFrom('expire' as const, 'close' as const, 'restore' as const) }),
  },
  {
    weight: 8,
    arbitrary: fc.record({ type: fc.constant('deliver' as const), chunks: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('wait' as const) }) },
);

const someOddOperation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 2, arbitrary: someOperation },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('odd' as const),
      name: someName,
      oddity: fc.integer({ min: 0, max: oddityCount - 1 }),
    }),
  },
);

/** An operation on one of the servers. */
const someHistory = fc.array(fc.tuple(someOperation, fc.integer({ min: 0, max: 1 })), { minLength: 1, maxLength: 60 });

/** Makes the source of an informer. `as` is applied to each list-watch. */
type MakeSource = (servers: readonly ModelServer[], as: (source: Source<Pod>) => Source<Pod>) => Source<Pod>;

const of =
  (options: ListWatchOptions<Pod>): MakeSource =>
  ([server], as) =>
    as(listWatch((server as ModelServer).client, pods, { backoff: () => 10, ...options }));

const merged: MakeSource = (servers, as) =>
  mergeSources(
    Object.fromEntries(servers.map((server, index) => [`member-${index}`, of({ initialList: 'pages' })([server], as)])),
  );

const metadata = ([server]: readonly ModelServer[], as: (source: Source<Pod>) => Source<Pod>): Source<Pod> =>
  as(
    listWatch((server as ModelServer).client, pods, {
      metadataOnly: true,
      backoff: () => 10,
    }) as unknown as Source<Pod>,
  );

const cases: readonly (readonly [string, MakeSource, InformerOptions<Pod, never>])[] = [
  ['a list in pages', of({ initialList: 'pages', pageSize: 2 }), {}],
  ['a streaming list', of({ initialList: 'stream' }), {}],
  ['objects that are not frozen', of({ initialList: 'stream' }), { freeze: false }],
  ['latestOnly', of({ initialList: 'pages', dedup: latestOnly }), { dedup: latestOnly }],
  ['metadataOnly', metadata, {}],
  ['merged sources with overlapping keys', merged, {}],
];

interface Watched {
  readonly cache: Informer<Pod>;
  readonly sets: ChangeSet<Pod>[];
  readonly errors: string[];
}

function watch(
  source: Source<Pod>,
  scheduler: ReturnType<typeof virtualClock>,
  options: InformerOptions<Pod, never>,
): Watched {
  const cache = informer(source, {
    ...options,
    resource: pods,
    scheduler,
    random: () => 0.5,
    relistBackoff: () => 20,
    indexers: {},
  });
  const sets: ChangeSet<Pod>[] = [];
  const errors: string[] = [];
  cache.errors$.subscribe((error) => errors.push(`${error.code} ${error.message}`));
  cache.changes$.subscribe((set) => sets.push(set));
  return { cache, sets, errors };
}

/**
 * Returns the text of everything, with the members of each object in the order of their names.
 *
 * Their own order may differ: an event that equals the held object is delivered as that object, and
 * one that came from a list has `kind` and `apiVersion` behind its other members.
 */
function stateOf({ cache, sets, errors }: Watched): string {
  const { snapshot, status } = cache;
  const objects = snapshot.keys().map((key) => [key, snapshot.get(key)]);
  const state = {
    resourceVersion: snapshot.resourceVersion,
    state: status.state,
    objects,
    sets: sets.splice(0),
    errors: errors.splice(0),
  };
  return JSON.stringify(state, (_name, value: unknown) => (isRecord(value) ? sorted(value) : value));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sorted(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** A version that the informer holds comes once more, in one read with a later one. */
const knownVersionAgain: [Operation, number][] = [
  [{ type: 'status', name: 'b' }, 0],
  [{ type: 'stale', name: 'b' }, 0],
  [{ type: 'deliver', chunks: 1 }, 0],
];

const forget = (source: Source<Pod>): Source<Pod> => source.pipe(map(identity));

afterEach(async () => {
  await chooseScanner('fastest');
});

describe.each(['wasm', 'none'] as const)(
  'an informer that reuses held objects and one that parses everything, with the scanner: %s,',
  (scanner) => {
    beforeEach(async () => {
      await chooseScanner(scanner);
    });

    it.each(cases)('have the same content, changes and errors after any history: %s', (_name, make, options) => {
      fc.assert(
        fc.property(someHistory, (history) => {
          const scheduler = virtualClock();
          const servers = [new ModelServer(scheduler, 'a'), new ModelServer(scheduler, 'b')];
          for (const server of servers) for (const name of ['a', 'b']) server.run({ type: 'create', name });
          const source = make(servers, identity);
          expect(sourceWithKnownObjects(source, { get: () => undefined, size: 0 })).not.toBe(source);
          const withKnownObjects = watch(source, scheduler, options);
          const parsing = watch(make(servers, forget), scheduler, options);
          scheduler.advance(1);
          for (const [operation, server] of history) {
            servers[server]?.run(operation);
            if (operation.type === 'wait') scheduler.advance(100);
            expect(stateOf(withKnownObjects)).toEqual(stateOf(parsing));
          }
          withKnownObjects.cache.stop();
          parsing.cache.stop();
        }),
        { numRuns: 20, examples: [[knownVersionAgain]] },
      );
    });

    it('have the same content, changes and errors after lines that no real server writes', () => {
      fc.assert(
        fc.property(fc.array(someOddOperation, { minLength: 1, maxLength: 40 }), (history) => {
          const scheduler = virtualClock();
          const server = new ModelServer(scheduler);
          for (const name of ['a', 'b']) server.run({ type: 'create', name });
          const watched = [identity, forget].map((as) =>
            watch(of({ initialList: 'pages' })([server], as), scheduler, {}),
          );
          const [withKnownObjects, parsing] = watched as [Watched, Watched];
          scheduler.advance(1);
          for (const operation of history) {
            server.run(operation);
            if (operation.type === 'odd') server.run({ type: 'deliver', chunks: 1 });
            if (operation.type === 'wait') scheduler.advance(100);
            expect(stateOf(withKnownObjects)).toEqual(stateOf(parsing));
          }
          withKnownObjects.cache.stop();
          parsing.cache.stop();
        }),
        { numRuns: 50 },
      );
    });

    it('have the same content, changes and errors after any history: an overlay with optimistic writes', () => {
      fc.assert(
        fc.property(someHistory, (history) => {
          const scheduler = virtualClock();
          const server = new ModelServer(scheduler);
          const make = (as: (source: Source<Pod>) => Source<Pod>): OverlaidSource<Pod> =>
            overlay(of({ initialList: 'pages' })([server], as), { ttl: 150, scheduler });
          const overlays = [make(identity), make(forget)] as const;
          const [withKnownObjects, parsing] = overlays.map((source) => watch(source, scheduler, {})) as [
            Watched,
            Watched,
          ];
          scheduler.advance(1);
          for (const [operation, isShown] of history) {
            server.run(operation);
            const written = 'name' in operation ? server.get(operation.name) : undefined;
            if (isShown === 1 && written !== undefined) for (const source of overlays) source.show(written);
            if (operation.type === 'wait') scheduler.advance(100);
            expect(stateOf(withKnownObjects)).toEqual(stateOf(parsing));
          }
          withKnownObjects.cache.stop();
          parsing.cache.stop();
        }),
        { numRuns: 20 },
      );
    });
  },
);
