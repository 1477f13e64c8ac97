import { setTimeout as wait } from 'node:timers/promises';
import type { KubernetesObject } from 'rx-informers';
import type { ResourceClient } from 'rx-informers/controller';
import { randomFromSeed } from 'rx-informers/testing';
import { bucketLabel } from './observers.js';

/**
 * Random writes to a bounded set of names: creations, updates, deletions, and deletions that a
 * creation follows.
 */
export interface Writers {
  readonly writes: number;
  /**
   * The number of writes that the API server refused or did not answer, for example during a
   * restart.
   */
  readonly failures: number;
  /** Starts or continues the writing. The writers are paused at first. */
  resume(): void;
  /** Pauses the writers. Resolves when no write is in progress. */
  pause(): Promise<void>;
}

interface WritersSetting {
  readonly client: ResourceClient<KubernetesObject>;
  readonly namespaces: readonly string[];
  readonly seed: number;
  readonly onWritten: (object: KubernetesObject) => void;
}

const names = 40;
/** Returns the depth of an object. The API server accepts objects with up to 10,000 levels. */
const depthOf = (random: number): number => (random < 0.02 ? 7_000 : random < 0.04 ? 4_000 : 1);

/** Starts one writer for each namespace. */
export function startWriters({ client, namespaces, seed, onWritten }: WritersSetting): Writers {
  let writes = 0;
  let failures = 0;
  let isResting = true;
  let rest: Promise<unknown> = Promise.resolve();

  async function write(random: () => number, namespace: string): Promise<void> {
    const name = `w-${Math.floor(random() * names)}`;
    const target = { metadata: { namespace, name } };
    const labels = { [bucketLabel]: String(Math.floor(random() * 8)) };
    const dice = random();
    if (dice < 0.2) await client.delete(target).then(undefined, ifCode(404));
    if (dice < 0.15) return;
    const spec = nested(depthOf(random()), random());
    const object = { metadata: { namespace, name, labels }, spec } as never;
    const created = await client.create(object).then(undefined, ifCode(409));
    if (created !== undefined) {
      onWritten(created);
      return;
    }
    const updated = await client.patch(target, { metadata: { labels }, spec }).then(undefined, ifCode(404));
    if (updated !== undefined) onWritten(updated);
  }

  async function keepWriting(random: () => number, namespace: string): Promise<void> {
    while (!isResting) {
      try {
        await write(random, namespace);
        writes += 1;
      } catch {
        failures += 1;
        await wait(100);
      }
    }
  }

  const randoms = namespaces.map((_, index) => randomFromSeed(seed + index));
  return {
    get writes() {
      return writes;
    },
    get failures() {
      return failures;
    },
    resume: () => {
      isResting = false;
      rest = Promise.all(namespaces.map((namespace, index) => keepWriting(randoms[index] as () => number, namespace)));
    },
    pause: async () => {
      isResting = true;
      await rest;
    },
  };
}

/** Returns `{ level: { level: … value } }`. */
function nested(depth: number, value: number): object {
  let object: object = { value };
  for (let level = 1; level < depth; level += 1) object = { level: object };
  return object;
}

function ifCode(code: number): (error: unknown) => undefined {
  return (error) => {
    if ((error as { readonly code?: unknown }).code !== code) throw error;
    return undefined;
  };
}
