import fc from 'fast-check';
import type { Change } from 'rx-informers';
import { emptySnapshot, type IndexedSnapshot, reduceDeltas } from 'rx-informers/store';
import { history, VALUES, type Step } from './model/histories.js';
import { Oracle, type Thing } from './model/oracle.js';

type Store = IndexedSnapshot<Thing>;
type Answers = Readonly<Record<string, readonly unknown[]>>;

const valuesToAsk = (name: string, store: Store): readonly string[] => [
  ...new Set([...VALUES, 'always', ...store.indexValues(name)]),
];

/** Every array that a version can return, by query. */
function answersOf(store: Store): Answers {
  const answers: Record<string, readonly unknown[]> = { list: store.list(), keys: store.keys() };
  for (const name of Object.keys(store.indexers)) {
    answers[`indexValues ${name}`] = store.indexValues(name);
    for (const value of valuesToAsk(name, store)) {
      answers[`byIndex ${name} ${value}`] = store.byIndex(name, value);
      answers[`indexKeys ${name} ${value}`] = store.indexKeys(name, value);
    }
  }
  return answers;
}

/** The same results, computed naively. */
function expectedAnswers(store: Store, oracle: Oracle): Answers {
  const objects = (keys: readonly string[]): readonly unknown[] => keys.map((key) => oracle.stored.get(key)?.object);
  const answers: Record<string, readonly unknown[]> = { list: objects(oracle.keys()), keys: oracle.keys() };
  for (const name of Object.keys(store.indexers)) {
    answers[`indexValues ${name}`] = oracle.indexValues(name);
    for (const value of valuesToAsk(name, store)) {
      const keys = oracle.keysUnder(name, value);
      answers[`byIndex ${name} ${value}`] = objects(keys);
      answers[`indexKeys ${name} ${value}`] = keys;
    }
  }
  return answers;
}

/** S10, S1: an action on one object or one key, in the store and in the oracle. */
function expectSameLookups(store: Store, oracle: Oracle): void {
  const keys = oracle.keys();
  const found = keys.map((key) => store.get(key));
  expect(JSON.stringify(found)).toBe(JSON.stringify(keys.map((key) => oracle.stored.get(key)?.object)));
  const object = found[0];
  if (!object) return;
  const unions = Object.keys(store.indexers).map((name) => [
    store.index(name, object),
    [...new Set(oracle.valuesOf(name, object).flatMap((value) => oracle.keysUnder(name, value)))]
      .sort()
      .map((key) => oracle.stored.get(key)?.object),
  ]);
  expect(JSON.stringify(unions.map(([input]) => input))).toBe(JSON.stringify(unions.map(([, expected]) => expected)));
}

/** G2: an array is another one exactly if its content differs, object by object. */
function expectIdentityFollowsContent(before: Answers, after: Answers): void {
  const wrong = Object.entries(after).filter(([question, array]) => {
    const previous = before[question];
    if (!previous) return false;
    const isSame = previous.length === array.length && array.every((item, position) => item === previous[position]);
    return (previous === array) !== isSame;
  });
  expect(wrong.map(([question]) => question)).toEqual([]);
}

/** The state before a commit, with the changes of the commit applied. */
function applied(before: Store, changes: readonly Change<Thing>[]): ReadonlyMap<string, Thing> {
  const objects = new Map(before.keys().map((key) => [key, before.get(key) as Thing]));
  for (const change of changes) {
    if (change.type === 'updated' && objects.get(change.key) !== change.previous) throw new Error('another previous');
    if (change.type === 'added' && objects.has(change.key)) throw new Error('added, and was there');
    if (change.type === 'deleted' && !objects.has(change.key)) throw new Error('deleted, and was not there');
    if (change.type === 'deleted') objects.delete(change.key);
    else objects.set(change.key, change.object);
  }
  return objects;
}

function take(store: Store, oracle: Oracle, step: Step, freeze: boolean): Store {
  if (step.type === 'addIndexers') {
    oracle.indexers = { ...oracle.indexers, ...step.indexers };
    return store.withIndexers(step.indexers, (error) => {
      throw error;
    });
  }
  const expected = oracle.commit(copyOf(step.batch));
  const { snapshot, changes, reason, errors } = reduceDeltas(store, copyOf(step.batch), { freeze });
  expect({ changes, reason, errors: errors.length }).toEqual({
    changes: expected.changes,
    reason: expected.reason,
    errors: expected.collisions.length,
  });
  expect([snapshot.version, snapshot.resourceVersion]).toEqual([oracle.version, oracle.resourceVersion]);
  const objects = applied(store, changes);
  const list = snapshot.keys().map((key) => objects.get(key));
  expect(objects.size === snapshot.size && snapshot.list().every((object, position) => object === list[position])).toBe(
    true,
  );
  return snapshot;
}

/**
 * The store takes over parts of what it is given; neither the oracle nor fast-check's next run may
 * see that.
 */
function copyOf<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

describe('the store against a naive model', () => {
  it('G2, G3, S1–S14, D1–D9: reads the same after every step of every history, and leaves earlier versions as they were', () => {
    fc.assert(
      fc.property(history, ({ indexers, steps, freeze }) => {
        const oracle = new Oracle(indexers);
        let store: Store = emptySnapshot(indexers);
        for (const step of steps) {
          const before = store;
          const answersBefore = answersOf(before);
          const saidBefore = JSON.stringify(answersBefore);
          store = take(before, oracle, step, freeze);
          const answers = answersOf(store);
          expect(JSON.stringify(answers)).toBe(JSON.stringify(expectedAnswers(store, oracle)));
          expectSameLookups(store, oracle);
          expectIdentityFollowsContent(answersBefore, answers);
          expect(JSON.stringify(answersOf(before))).toBe(saidBefore);
        }
      }),
      { numRuns: 50 },
    );
  });
});
