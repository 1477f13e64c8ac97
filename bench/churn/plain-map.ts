import { keyOfPod } from '../fixtures/held-pods.js';
import type { BenchPod } from '../fixtures/pod.js';
import type { ChurnCache } from './churn-cache.js';
import type { Population } from './population.js';

/** Returns a cache that is only a Map. Its figures show how precisely the heap can be measured. */
export function plainMap(population: Population): ChurnCache {
  const parsed = (text: string): readonly [string, BenchPod] => {
    const pod = JSON.parse(text) as BenchPod;
    return [keyOfPod(pod), pod];
  };
  const pods = new Map(population.list().map(parsed));
  return {
    take: (events) => {
      for (const event of events) {
        const [key, pod] = parsed(event.pod);
        if (event.type === 'DELETED') pods.delete(key);
        else pods.set(key, pod);
      }
    },
    isSettled: () => true,
    keys: () => [...pods.keys()],
  };
}
