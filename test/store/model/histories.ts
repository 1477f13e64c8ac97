import fc from 'fast-check';
import type { IndexFunction, Indexers } from 'rx-informers';
import type { Delta } from 'rx-informers/store';
import type { Thing } from './oracle.js';

/** One step of a history: a batch that is committed, or indexes that are added. */
export type Step =
  | { readonly type: 'commit'; readonly batch: readonly Delta<Thing>[] }
  | { readonly type: 'addIndexers'; readonly indexers: Indexers<Thing> };

export const VALUES = ['', 'x', 'y', 'z', 'constructor'];
const KEYS = ['a', 'b', 'c', 'a/b', 'ns/a', '__proto__'];

const thing: fc.Arbitrary<Thing> = fc
  .record({
    uid: fc.constantFrom(undefined, 'u1', 'u1', 'u2'),
    version: fc.constantFrom(undefined, 1, 2, 3, 4, 5),
    values: fc.uniqueArray(fc.constantFrom(...VALUES), { maxLength: 3 }),
    content: fc.nat(2),
  })
  .map(({ uid, version, values, content }) => ({
    metadata: {
      ...(uid !== undefined && { uid }),
      ...(version !== undefined && { resourceVersion: String(version) }),
    },
    values,
    content,
  }));

const key = fc.constantFrom(...KEYS);
const partitioned = <T extends object>(record: T, partition: string | undefined): T =>
  partition === undefined ? record : { ...record, partition };

const delta = (partition: fc.Arbitrary<string | undefined>): fc.Arbitrary<Delta<Thing>> =>
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc
        .tuple(fc.constantFrom('Added', 'Updated'), key, thing, partition)
        .map(([type, name, object, from]): Delta<Thing> => partitioned({ type, key: name, object }, from)),
    },
    {
      weight: 3,
      arbitrary: fc
        .tuple(key, fc.option(thing, { nil: undefined }), fc.boolean(), partition)
        .map(([name, object, finalStateUnknown, from]): Delta<Thing> =>
          partitioned({ type: 'Deleted', key: name, object, finalStateUnknown }, from),
        ),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(
          fc.array(fc.record({ key, object: thing }), { maxLength: 8 }),
          fc.option(fc.array(key, { maxLength: 2 }), { nil: undefined }),
          fc.nat(99).map(String),
          partition,
        )
        .map(([items, missing, resourceVersion, from]): Delta<Thing> =>
          partitioned({ type: 'ReplacedAll', items, resourceVersion, ...(missing && { missing }) }, from),
        ),
    },
    { weight: 1, arbitrary: key.map((name): Delta<Thing> => ({ type: 'Sync', key: name })) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.nat(99).map(String), partition)
        .map(([resourceVersion, from]): Delta<Thing> => partitioned({ type: 'Bookmark', resourceVersion }, from)),
    },
  );

/**
 * Generates pure index functions. They return no value, one value or several, made from any part of
 * the object.
 */
const indexFunction: fc.Arbitrary<IndexFunction<Thing>> = fc.oneof(
  fc.constant((object: Thing) => object.values),
  fc.constant((object: Thing) => object.values[0]),
  fc.constant((object: Thing) => String(object.content)),
  fc.constant((object: Thing) => (object.content === 0 ? undefined : [...object.values, 'always'])),
  fc.func(fc.option(fc.subarray(VALUES), { nil: undefined })),
);

const indexersOf = (...names: readonly string[]): fc.Arbitrary<Indexers<Thing>> =>
  fc.record(Object.fromEntries(names.map((name) => [name, indexFunction])));

const stepsOf = (partition: fc.Arbitrary<string | undefined>): fc.Arbitrary<readonly Step[]> =>
  fc
    .tuple(
      fc.array(fc.array(delta(partition), { maxLength: 5 }), { minLength: 1, maxLength: 25 }),
      fc.array(fc.nat(25), { maxLength: 2 }),
      fc.tuple(indexersOf('late'), indexersOf('0', 'later')),
    )
    .map(([batches, positions, added]) => {
      const steps = batches.map((batch): Step => ({ type: 'commit', batch }));
      positions.forEach((position, number) => {
        steps.splice(position, 0, { type: 'addIndexers', indexers: added[number] as Indexers<Thing> });
      });
      return steps;
    });

/**
 * Generates a history of one source, or of several merged sources, and the indexes with which it
 * starts.
 */
export const history = fc.record({
  indexers: indexersOf('first', 'second'),
  steps: fc.oneof(stepsOf(fc.constant(undefined)), stepsOf(fc.constantFrom('east', 'north', 'west'))),
  freeze: fc.boolean(),
});
