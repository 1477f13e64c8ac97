import { randomFromSeed } from '../random-from-seed.js';
import type { CollectionUnderTest } from './collection-conformance.js';
import { conformanceObject, type ConformanceObject } from './conformance-object.js';
import { expectSame } from './expectation.js';
import { Replica } from './replica.js';
import type { TestRunner } from './test-runner.js';

const seeds = Array.from({ length: 100 }, (_, seed) => seed);
const names = ['a', 'b', 'c'] as const;
const nodes = ['n1', 'n2'] as const;

/** Does a hundred different series of things to a collection and to a Map, and compares after each step. */
export function describeAgreement(make: () => CollectionUnderTest, { it }: TestRunner): void {
  it('agrees with a Map, whatever is done to it', () => {
    for (const seed of seeds) agree(seed, make());
  });
}

function agree(seed: number, { collection, replace, upsert, remove }: CollectionUnderTest): void {
  const random = randomFromSeed(seed);
  const oneOf = <V>(values: readonly V[]): V => values[Math.floor(random() * values.length)] as V;
  const model = new Map<string, ConformanceObject>();
  const replica = new Replica<ConformanceObject>();
  let bucket: readonly ConformanceObject[] = [];
  let values: readonly string[] = [];
  collection.changes$.subscribe(replica.apply);
  collection.byIndex$('node', 'n1').subscribe((shown) => (bucket = shown));
  collection.indexValues$('node').subscribe((shown) => (values = shown));
  // A collection over several sources holds changes back until each of them has listed.
  replace([]);
  for (let version = 1; version <= 15; version += 1) {
    const object = conformanceObject(oneOf(names), version, oneOf(nodes));
    const chance = random();
    if (chance < 0.5) {
      model.set(object.metadata.name, object);
      upsert(object);
    } else if (chance < 0.8) {
      model.delete(object.metadata.name);
      remove(object);
    } else {
      const objects = names.filter(() => random() < 0.5).map((name) => conformanceObject(name, version, oneOf(nodes)));
      model.clear();
      for (const each of objects) model.set(each.metadata.name, each);
      replace(objects);
    }
    const expected = [...model.keys()].sort().map((key) => model.get(key) as ConformanceObject);
    const inBucket = expected.filter(({ spec }) => spec.nodeName === 'n1');
    const at = `seed ${seed}, step ${version}`;
    expectSame(`${at}: list`, collection.snapshot.list(), expected);
    expectSame(`${at}: byIndex`, collection.snapshot.byIndex('node', 'n1'), inBucket);
    expectSame(`${at}: byIndex$`, bucket, inBucket);
    expectSame(`${at}: indexValues$`, values, [...new Set(expected.map(({ spec }) => spec.nodeName))].sort());
    expectSame(`${at}: changes$`, [...replica.held.keys()].sort(), [...model.keys()].sort());
    for (const [key, held] of replica.held) expectSame(`${at}: ${key}`, held, model.get(key));
  }
  expectSame(`seed ${seed}: complaints`, replica.complaints, []);
}
