import { setTimeout as wait } from 'node:timers/promises';
import type { KubeClient, KubernetesObject, Resource, StatusError } from 'rx-informers';
import { resourcePath } from 'rx-informers/client';
import { randomFromSeed } from 'rx-informers/testing';
import { firstValueFrom, timeout, TimeoutError } from 'rxjs';
import { requestJson } from '../../src/sources/client/kube-client.js';
import { seedOf } from '../../test/support/seed.js';
import { bucketLabel } from './observers/observer.js';

/**
 * Random writes to a bounded set of names: creations, updates, deletions, and deletions that a
 * creation follows.
 */
export interface Writers {
  readonly writes: number;
  /** The number of writes that failed because the API server was in trouble. */
  readonly provoked: number;
  /** The errors of the writes that failed although the API server worked. */
  readonly unprovoked: readonly string[];
  /** Calls `trouble`, and until it ends and for ten more seconds, expects that writes fail. */
  during<T>(trouble: () => T | Promise<T>): Promise<T>;
  /** Starts or continues the writing. The writers are paused at first. */
  resume(): void;
  /** Pauses the writers. Resolves when no write is in progress. */
  pause(): Promise<void>;
}

interface WritersSetting {
  readonly client: KubeClient;
  readonly resource: Resource<KubernetesObject>;
  readonly namespaces: readonly string[];
  readonly onWritten: (object: KubernetesObject) => void;
}

const names = 40;
/** On a machine whose disk is busy, a server may answer a write only after half a minute. */
const patience = 60_000;
/** The time after a fault in which connections may still break. */
const settling = 10_000;
/** Returns the depth of an object. The API server accepts objects with up to 10,000 levels. */
const depthOf = (random: number): number => (random < 0.01 ? 7_000 : random < 0.02 ? 4_000 : 1);

/** Starts one writer for each namespace. */
export function startWriters({ client, resource, namespaces, onWritten }: WritersSetting): Writers {
  let writes = 0;
  let provoked = 0;
  const unprovoked: string[] = [];
  let troubles = 0;
  let lastTrouble = -Infinity;
  let isResting = true;
  /** A deep object keeps the server busy for seconds, so one is written at a time. */
  let isWritingDeep = false;
  /** The paths of the objects that were deep when they were last written. */
  const deep = new Set<string>();
  let rest: Promise<unknown> = Promise.resolve();

  const apiVersion = `${resource.group}/${resource.version}`;
  const { kind } = resource;
  const request = (method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: string): Promise<KubernetesObject> =>
    firstValueFrom(
      requestJson<KubernetesObject>(client, {
        method,
        path,
        ...(body !== undefined && {
          body,
          headers: { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' },
        }),
      }).pipe(timeout(patience)),
    );

  async function write(random: () => number, namespace: string): Promise<void> {
    const name = `w-${Math.floor(random() * names)}`;
    const all = resourcePath(resource, { namespace });
    const one = resourcePath(resource, { namespace, name });
    const labels = { [bucketLabel]: String(Math.floor(random() * 8)) };
    const dice = random();
    const depth = isWritingDeep ? 1 : depthOf(random());
    if (depth > 1) isWritingDeep = true;
    try {
      // An update of a deep object takes the server longer than its own limit of time, so the
      // object is deleted and created again.
      if (dice < 0.2 || depth > 1 || deep.delete(one)) await request('DELETE', one).catch(ifStatus(404));
      if (dice < 0.15) return;
      if (depth > 1) deep.add(one);
      const written = textOf({ apiVersion, kind, metadata: { namespace, name, labels } }, depth, random());
      const created = await request('POST', all, written).catch(ifStatus(409));
      const result = created ?? (await request('PATCH', one, written).catch(ifStatus(404)));
      if (result !== undefined) onWritten(result);
    } finally {
      if (depth > 1) isWritingDeep = false;
    }
  }

  async function keepWriting(random: () => number, namespace: string): Promise<void> {
    while (!isResting) {
      const startedAt = performance.now();
      try {
        await write(random, namespace);
        writes += 1;
      } catch (error) {
        if (troubles > 0 || lastTrouble > startedAt - settling || isOverload(error)) provoked += 1;
        else unprovoked.push(String(error));
        await wait(100);
      }
    }
  }

  const randoms = namespaces.map((_, index) => randomFromSeed(seedOf(`writer ${index} of the soak`)));
  return {
    get writes() {
      return writes;
    },
    get provoked() {
      return provoked;
    },
    unprovoked,
    during: async (trouble) => {
      troubles += 1;
      try {
        return await trouble();
      } finally {
        troubles -= 1;
        lastTrouble = performance.now();
      }
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

/**
 * Returns the JSON text of an object whose `spec` is `{ level: { level: … value } }`.
 * JSON.stringify fails for objects of such depth.
 */
function textOf(object: object, depth: number, value: number): string {
  const spec = '{"level":'.repeat(depth - 1) + JSON.stringify({ value }) + '}'.repeat(depth - 1);
  return JSON.stringify({ ...object, spec: null }).replace(/null}$/, `${spec}}`);
}

/** True for what a server answers, or does not answer, that has too much to do. */
function isOverload(error: unknown): boolean {
  const { statusCode = 0 } = error as Partial<StatusError>;
  return error instanceof TimeoutError || statusCode === 429 || statusCode >= 500;
}

function ifStatus(status: number): (error: unknown) => undefined {
  return (error) => {
    if ((error as Partial<StatusError>).statusCode !== status) throw error;
    return undefined;
  };
}
