import { useMemo, type ReactNode } from 'react';
import {
  mergeSources,
  type Collection,
  type InformerRegistry,
  type KubeClient,
  type KubernetesObject,
  type listWatch,
  type ListWatchOptions,
  type Resource,
} from 'rx-informers';
import { sharedRegistry } from 'rx-informers/shared-worker';
import type { KeyFunction, WatchEventBatch } from 'rx-informers/store';
import { browserWake$ } from 'rx-informers/views';
import type { Observable } from 'rxjs';
import { shownWrites, type ShownWrites } from '../writes/shown-writes.js';
import { clusterOf, InCluster, type Cluster } from './cluster.js';
import { contextKey, keyIn } from './context-key.js';

/**
 * A context in one of these states does not delay the other contexts. The context counts as empty,
 * and its status contains the reason.
 */
const startWithout = ['forbidden', 'not-found', 'backing-off'] as const;

const keyOf = contextKey as KeyFunction<unknown>;

interface SideBySideProps {
  readonly contexts: readonly string[];
  readonly children: ReactNode;
}

/** Provides the informers of several contexts to all components. */
export function SideBySide({ contexts, children }: SideBySideProps): ReactNode {
  const cluster = useMemo(() => sideBySide(new Map(contexts.map((name) => [name, clusterOf(name)]))), [contexts]);
  return <InCluster cluster={cluster}>{children}</InCluster>;
}

/** The parts of a context's cluster that the side-by-side cluster uses. */
type Member = Pick<Cluster, 'client' | 'shared' | 'info'>;

/**
 * Returns a cluster whose informers contain the objects of several contexts. The key of an object
 * contains its context, which `contextOf` returns. The client is the one of the first context.
 * Requests for an object use the client of the object's context.
 */
export function sideBySide(contexts: ReadonlyMap<string, Member>): Cluster {
  const [first] = contexts;
  if (first === undefined) throw new Error('no context is shown');
  const together = registryOver(contexts, startWithout);
  // The cluster of a single context uses the same keys as the cluster of all contexts, so that
  // objects have the same links in both.
  const members = [...contexts].map(([name, member]): [string, Cluster] => {
    const alone = registryOver(new Map([[name, member]]), []);
    const writes = bothWrites(together.writesOf(name), alone.writesOf(name));
    return [
      name,
      { ...member, context: name, registry: alone.registry, writes, tables: new Map(), members: new Map() },
    ];
  });
  const [name, member] = first;
  const { registry, writesOf } = together;
  return { ...member, context: name, registry, writes: writesOf(name), tables: new Map(), members: new Map(members) };
}

/** Returns writes that are shown in the view of all contexts and in the view of one context. */
function bothWrites(one: ShownWrites, other: ShownWrites): ShownWrites {
  return {
    ...one,
    sourcesOf: (resource, object) => [...one.sourcesOf(resource, object), ...other.sourcesOf(resource, object)],
  };
}

interface RegistryOver {
  readonly registry: InformerRegistry;
  /** Returns the writes to the objects of one context. */
  readonly writesOf: (context: string) => ShownWrites;
}

function registryOver(contexts: ReadonlyMap<string, Member>, without: typeof startWithout | readonly []): RegistryOver {
  // Collects the `InformerOfContext` objects of the next informer. They receive the informer as soon as
  // it is created.
  const made: InformerOfContext[] = [];
  const read = [...contexts].map(([name, { client, shared }]) => {
    const nextSlot = (): InformerOfContext => {
      const slot = new InformerOfContext(name);
      made.push(slot);
      return slot;
    };
    return { name, client, writes: shownWrites(shared.listWatch, nextSlot) };
  });
  const merged = (_: KubeClient, resource: Resource<unknown>, options: ListWatchOptions<unknown>) =>
    mergeSources(
      Object.fromEntries(read.map(({ name, client, writes }) => [name, sourceOf(client, writes, resource, options)])),
      { startWithout: without },
    );
  const [first] = read;
  if (first === undefined) throw new Error('no context is shown');
  const source = { listWatch: merged as unknown as typeof listWatch };
  const registry = sharedRegistry(first.client, source, { wakeOn: browserWake$() });
  return {
    registry: {
      get informers() {
        return registry.informers;
      },
      informer: (resource: Resource<unknown>, request: object) => {
        const informer = registry.informer(resource, { ...request, keyOf });
        for (const slot of made.splice(0)) slot.informer = informer;
        return informer;
      },
      start: () => {
        registry.start();
      },
      whenSynced: async (options) => registry.whenSynced(options),
      recheck: () => {
        registry.recheck();
      },
      stop: (...stopped) => {
        registry.stop(...stopped);
      },
    },
    writesOf: (context) => (read.find(({ name }) => name === context) ?? first).writes,
  };
}

/** The objects of one context within an informer over several contexts. */
class InformerOfContext {
  informer: Collection<unknown> | undefined;

  constructor(private readonly context: string) {}

  get(key: string): KubernetesObject | undefined {
    return this.informer?.snapshot.get(keyIn(this.context, key)) as KubernetesObject | undefined;
  }
}

function sourceOf(
  client: KubeClient,
  { listWatch: read }: ShownWrites,
  resource: Resource<unknown>,
  options: ListWatchOptions<unknown>,
): Observable<WatchEventBatch<unknown>> {
  return read(client, resource, options);
}
