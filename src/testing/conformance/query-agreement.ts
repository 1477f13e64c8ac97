import { bucket, bucketPrefix, bucketRange, buckets, bucketSize, indexValues } from '../../queries/bucket-queries.js';
import {
  allObjects,
  collectionSize,
  countMatching,
  matching,
  objectByKey,
  select,
} from '../../queries/object-queries.js';
import { isSameValue, type Query } from '../../queries/query.js';
import { randomFromSeed } from '../virtual-clock.js';
import { type CollectionUnderTest, conformanceObject, type ConformanceObject } from './collection-under-test.js';
import { expectSame, type TestRunner } from './test-runner.js';

type Objects = readonly ConformanceObject[];
type AnyQuery = Query<ConformanceObject, unknown, 'node'>;

const seeds = Array.from({ length: 40 }, (_, seed) => seed);
const names = ['a', 'b', 'c', 'd'] as const;
const nodes = ['n1', 'n11', 'n2', 'o1'] as const;

const nodeOf = ({ spec }: ConformanceObject): string => spec.nodeName ?? '';
const inRange = (objects: Objects, isInRange: (node: string) => boolean): Objects =>
  nodes.filter(isInRange).flatMap((node) => objects.filter((object) => nodeOf(object) === node));

/** The constructors of queries, each with its answer computed naively, in key order. */
const constructors: readonly (readonly [name: string, query: AnyQuery, answer: (objects: Objects) => unknown])[] = [
  ['objectByKey', objectByKey('a'), (all) => all.find(({ metadata }) => metadata.name === 'a')],
  ['allObjects', allObjects(), (all) => all],
  ['collectionSize', collectionSize(), ({ length }) => length],
  ['matching a selector', matching('app=x'), (all) => all.filter(({ metadata }) => metadata.labels?.['app'] === 'x')],
  [
    'matching a function',
    matching((object: ConformanceObject) => nodeOf(object) < 'n2'),
    (all) => all.filter((object) => nodeOf(object) < 'n2'),
  ],
  [
    'countMatching a selector',
    countMatching('app=x'),
    (all) => all.filter(({ metadata }) => metadata.labels?.['app'] === 'x').length,
  ],
  [
    'countMatching a function',
    countMatching((object: ConformanceObject) => nodeOf(object) < 'n2'),
    (all) => all.filter((object) => nodeOf(object) < 'n2').length,
  ],
  ['bucket', bucket('node', 'n1'), (all) => all.filter((object) => nodeOf(object) === 'n1')],
  ['buckets', buckets('node', ['n2', 'n1']), (all) => all.filter((object) => ['n1', 'n2'].includes(nodeOf(object)))],
  ['buckets of no value', buckets('node', []), () => []],
  [
    'bucketRange',
    bucketRange('node', { from: 'n11', to: 'o1' }),
    (all) => inRange(all, (node) => node >= 'n11' && node < 'o1'),
  ],
  ['bucketRange without bounds', bucketRange('node', {}), (all) => inRange(all, () => true)],
  ['bucketPrefix', bucketPrefix('node', 'n1'), (all) => inRange(all, (node) => node.startsWith('n1'))],
  ['bucketSize', bucketSize('node', 'n1'), (all) => all.filter((object) => nodeOf(object) === 'n1').length],
  ['indexValues', indexValues('node'), (all) => nodes.filter((node) => all.some((object) => nodeOf(object) === node))],
  ['select', select(({ size }) => size > 1), ({ length }) => length > 1],
];

/** Defines a test for each constructor, whose current and live answers must equal naive ones. */
export function describeQueries(make: () => CollectionUnderTest, { it }: TestRunner): void {
  for (const [name, query, answer] of constructors) {
    it(`${name}: equals a naive reading of all objects, and emits exactly when its answer changes`, () => {
      for (const seed of seeds) agree(seed, make(), query, answer);
    });
  }
}

function agree(
  seed: number,
  { collection, replace, upsert, remove }: CollectionUnderTest,
  query: AnyQuery,
  answer: (objects: Objects) => unknown,
): void {
  const random = randomFromSeed(seed);
  const oneOf = <V>(values: readonly V[]): V => values[Math.floor(random() * values.length)] as V;
  const anObject = (name: string, version: number): ConformanceObject => {
    const object = conformanceObject(name, version, oneOf(nodes));
    return { ...object, metadata: { ...object.metadata, labels: { app: oneOf(['x', 'y']) } } };
  };
  const model = new Map<string, ConformanceObject>();
  const emitted: unknown[] = [];
  const expected: unknown[] = [];
  collection.query$(query).subscribe((value) => emitted.push(value));
  const compare = (at: string): void => {
    const now = answer([...model.keys()].sort().map((key) => model.get(key) as ConformanceObject));
    if (expected.length === 0 || !isSameValue(expected.at(-1), now)) expected.push(now);
    expectSame(`${at}: query`, collection.query(query), now);
    expectSame(`${at}: query$`, emitted, expected);
  };
  replace([]);
  compare(`seed ${seed}, the empty list`);
  for (let version = 1; version <= 15; version += 1) {
    const object = anObject(oneOf(names), version);
    const chance = random();
    if (chance < 0.6) {
      model.set(object.metadata.name, object);
      upsert(object);
    } else if (chance < 0.85) {
      model.delete(object.metadata.name);
      remove(object);
    } else {
      const objects = names.filter(() => random() < 0.6).map((name) => anObject(name, version));
      model.clear();
      for (const each of objects) model.set(each.metadata.name, each);
      replace(objects);
    }
    compare(`seed ${seed}, step ${version}`);
  }
}
