import { configMaps, type ConfigMap } from 'rx-informers';
import { configMap, type Cluster } from './cluster.js';

/** Pseudo-random numbers in [0, 1) that a seed repeats (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface RandomWrites {
  readonly writes: number;
  readonly random: () => number;
  /** What the names begin with; two runs in one namespace need different ones. */
  readonly prefix?: string;
  readonly writers?: number;
  /** How many names each writer has. */
  readonly names?: number;
}

/**
 * Writes to a few hundred names at random: creates what is not there; changes or deletes what is. Several writers at once,
 * each with names of its own, so that every write succeeds.
 */
export async function writeAtRandom(
  cluster: Cluster,
  namespace: string,
  { writes, random, prefix = 'w', writers = 8, names = 40 }: RandomWrites,
): Promise<void> {
  const write = async (writer: number): Promise<void> => {
    const existing = new Set<string>();
    for (let done = 0; done < writes / writers; done += 1) {
      const name = `${prefix}${writer}-${Math.floor(random() * names)}`;
      const object = configMap(namespace, name, String(random()));
      if (!existing.has(name)) {
        await cluster.create(configMaps, object);
        existing.add(name);
      } else if (random() < 0.4) {
        await cluster.remove(configMaps, object);
        existing.delete(name);
      } else {
        await cluster.patch<ConfigMap>(configMaps, object, { data: { data: String(random()) } });
      }
    }
  };
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
}
