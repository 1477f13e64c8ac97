import { configMaps, type ConfigMap } from 'rx-informers';
import { configMap, type Cluster } from './cluster.js';

export interface RandomWrites {
  readonly writes: number;
  readonly random: () => number;
  /** The prefix of the names. Two runs in one namespace need different prefixes. */
  readonly prefix?: string;
  readonly writers?: number;
  /** The number of names of each writer. */
  readonly names?: number;
}

/**
 * Writes to a few hundred names at random. Creates an object if it does not exist. Otherwise
 * changes or deletes it. Several writers run at once, each with names of its own, so that every
 * write succeeds.
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
