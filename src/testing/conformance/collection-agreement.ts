import { map, type Observable } from 'rxjs';
import type { Collection } from '../../collections/collection.js';
import { bucketRange, bucketSize } from '../../queries/bucket-queries.js';
import type { ChangeSet } from '../../store/change.js';
import { randomFromSeed } from '../virtual-clock.js';
import {
  type CollectionUnderTest,
  conformanceObject,
  type ConformanceObject,
  podText,
  textOfAll,
  textOfChanges,
} from './collection-under-test.js';
import { expectSame, type TestRunner } from './test-runner.js';

const seeds = Array.from({ length: 100 }, (_, seed) => seed);
const names = ['a', 'b', 'c'] as const;
const nodes = ['n1', 'n2'] as const;

/** Applies 100 random series of changes to a collection and a Map, and compares each step. */
export function describeAgreement(make: () => CollectionUnderTest, { it }: TestRunner): void {
  it('agrees with a Map after random changes', () => {
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
  // A collection over several sources waits until all have listed, so begin with a list.
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
    expectSame(`${at}: changes$`, [...replica.objects.keys()].sort(), [...model.keys()].sort());
    for (const [key, own] of replica.objects) expectSame(`${at}: ${key}`, own, model.get(key));
  }
  expectSame(`seed ${seed}: complaints`, replica.complaints, []);
}

/**
 * Applies every change set that it receives. Records a complaint about each change that does not
 * fit: a second initial state, an addition of a known object, an update whose previous object is
 * not the known object, or a deletion of an unknown object.
 */
export class Replica<T> {
  readonly objects = new Map<string, T>();
  readonly complaints: string[] = [];
  isSynced = false;

  readonly apply = ({ reason, changes }: ChangeSet<T>): void => {
    if ((reason === 'initial') === this.isSynced) this.complaints.push(`${reason} at the wrong time`);
    this.isSynced = true;
    for (const change of changes) {
      const own = this.objects.get(change.key);
      switch (change.type) {
        case 'added':
          if (own !== undefined) this.complaints.push(`added ${change.key} twice`);
          this.objects.set(change.key, change.object);
          break;
        case 'updated':
          if (own !== change.previous) this.complaints.push(`updated ${change.key} from what is not held`);
          if (change.object === change.previous) this.complaints.push(`updated ${change.key} to itself`);
          this.objects.set(change.key, change.object);
          break;
        case 'deleted':
          if (own === undefined) this.complaints.push(`deleted ${change.key}, which is not held`);
          this.objects.delete(change.key);
      }
    }
  };
}

const b1 = conformanceObject('b', 1, 'n2');

export type CollectionOfObjects = Collection<ConformanceObject, 'node'>;

/** Each data stream of a collection, as text. */
export const dataStreams: readonly (readonly [
  name: string,
  open: (pods: CollectionOfObjects) => Observable<string>,
])[] = [
  ['byIndex$', (pods) => pods.byIndex$('node', 'n1').pipe(map(textOfAll))],
  ['byIndexChanges$', (pods) => pods.byIndexChanges$('node', 'n1').pipe(map(textOfChanges))],
  ['get$', (pods) => pods.get$('a').pipe(map((pod) => (pod === undefined ? 'nothing' : podText(pod))))],
  ['list$', (pods) => pods.list$().pipe(map(textOfAll))],
  ['query$ of a range', (pods) => pods.query$(bucketRange('node', { from: 'n1' })).pipe(map(textOfAll))],
  ['query$ of a count', (pods) => pods.query$(bucketSize('node', 'n1')).pipe(map((size) => `${size}`))],
  ['list$(selector)', (pods) => pods.list$('app=x').pipe(map(textOfAll))],
  ['indexValues$', (pods) => pods.indexValues$('node').pipe(map((values) => values.join(' ')))],
  ['index$', (pods) => pods.index$('node', b1).pipe(map(textOfAll))],
  ['index$ of an object in no bucket', (pods) => pods.index$('node', { ...b1, spec: {} }).pipe(map(textOfAll))],
  [
    'select$',
    (pods) =>
      pods
        .select$((snapshot) => [snapshot.byIndex('node', 'n1'), snapshot.byIndex('node', 'n2')])
        .pipe(map((buckets) => buckets.map(textOfAll).join(' | '))),
  ],
  ['snapshot$', (pods) => pods.snapshot$.pipe(map(({ version }) => `version ${version}`))],
  ['changes$', (pods) => pods.changes$.pipe(map(textOfChanges))],
];
