import * as fc from 'fast-check';
import { Population } from '../../../bench/churn/population.js';
import { keyOfPod } from '../../../bench/fixtures/held-pods.js';
import type { BenchPod } from '../../../bench/fixtures/pod.js';
import { randomFromSeed } from 'rx-informers/testing';

const SIZE = 20;

const parse = (text: string): BenchPod => JSON.parse(text) as BenchPod;
const byKey = (texts: readonly string[]): ReadonlyMap<string, BenchPod> =>
  new Map(texts.map(parse).map((pod) => [keyOfPod(pod), pod]));

describe('Population', () => {
  it('lists the objects that a consumer of all events holds', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 0, max: 100 }), (seed, count) => {
        const population = new Population(SIZE, randomFromSeed(seed));
        const held = new Map(byKey(population.list()));
        for (let taken = 0; taken < count; taken++) {
          const { type, pod } = population.next();
          const key = keyOfPod(parse(pod));
          expect(held.has(key)).toBe(type !== 'ADDED');
          if (type === 'DELETED') held.delete(key);
          else held.set(key, parse(pod));
        }

        expect(byKey(population.list())).toEqual(held);
        expect([...held.keys()]).toContain(keyOfPod(population.anyone()));
      }),
      { numRuns: 10 },
    );
  });

  it('stays as large as it began, so that a heap which grows is a leak', () => {
    const population = new Population(SIZE, randomFromSeed(1));
    for (let rounds = 0; rounds < 20; rounds++) {
      for (let taken = 0; taken < 50; taken++) population.next();
      expect([SIZE, SIZE + 1]).toContain(population.list().length);
    }
  });

  it('never reuses a name, and moves pods to new nodes and apps', () => {
    const population = new Population(SIZE, randomFromSeed(2));
    const before = population.list().map(parse);
    const events = Array.from({ length: 500 }, () => population.next());
    const podsOf = (type: string): readonly BenchPod[] =>
      events.filter((event) => event.type === type).map(({ pod }) => parse(pod));
    const names = [...before, ...podsOf('ADDED')].map(keyOfPod);
    const newPlaces = podsOf('MODIFIED').filter(({ spec }) =>
      before.every((pod) => pod.spec.nodeName !== spec.nodeName),
    );

    expect(new Set(names).size).toBe(names.length);
    expect(new Set(newPlaces.map(({ spec }) => spec.nodeName)).size).toBeGreaterThan(80);
    expect(new Set(newPlaces.map(({ metadata }) => metadata.labels.app)).size).toBeGreaterThan(80);
  });

  it('returns the same events for the same random numbers', () => {
    const [first, second] = [3, 3].map((seed) => new Population(SIZE, randomFromSeed(seed)));
    for (let taken = 0; taken < 100; taken++) expect(first!.next()).toEqual(second!.next());
  });
});
