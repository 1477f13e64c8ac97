import {
  addEventHandler,
  type ChangeSet,
  type Collection,
  type KubeClient,
  type KubernetesObject,
  type ListWatchOptions,
  type Resource,
  type RxInformersError,
} from 'rx-informers';
import type { Observable, Subscription } from 'rxjs';
import type { CountingClient } from './counting-client.js';

/**
 * What a view shows, a text for each row. A row of an object has its uid and its version, so that
 * an object and its successor of the same name differ.
 */
export type Rows = readonly string[];

/** Returns the row of each object. */
export function rowsOf(objects: Iterable<KubernetesObject>): Rows {
  return Array.from(objects, rowOf);
}

/** Returns namespace, name, uid and version of an object. */
export function rowOf({ metadata = {} }: KubernetesObject): string {
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = metadata;
  return `${namespace}/${name} ${uid}@${resourceVersion}`;
}

/** One way to observe the cluster, with every view that it offers. */
export interface Observer {
  readonly name: string;
  readonly views: readonly View[];
  /** What contradicts an earlier statement: a change (G1), or a second leader (L3). */
  readonly contradictions: readonly string[];
  /** The number of errors, by the name of the error. */
  readonly errors: ReadonlyMap<string, number>;
  readonly client: CountingClient;
  /** The number of watches that it keeps open. */
  readonly watches: number;
  stop(): void;
}

/** What one view shows, and what it must show. */
export interface View {
  readonly name: string;
  /** Returns the rows that the view shows now. */
  shown(): Rows;
  /** Returns the rows that the view must show if these objects exist. */
  expected(listed: readonly KubernetesObject[]): Rows;
}

/** What every observer watches, and its timeouts. */
export interface ObserverSetting {
  readonly client: KubeClient;
  readonly resource: Resource<KubernetesObject>;
  readonly namespaces: readonly string[];
  readonly limits: ListWatchOptions<KubernetesObject>;
  /** Receives a line for each error. */
  readonly log: (line: string) => void;
}

/** The label that the objects of the soak carry, with values from 0 to 7. */
export const bucketLabel = 'bucket';
export const bucketOf = (object: KubernetesObject): string => object.metadata?.labels?.[bucketLabel] ?? '';

/** Returns a view that must show the rows of certain objects. */
export function viewOf(
  name: string,
  shown: () => Iterable<KubernetesObject>,
  follows: (object: KubernetesObject) => boolean = () => true,
): View {
  return { name, shown: () => rowsOf(shown()), expected: (listed) => rowsOf(listed.filter(follows)) };
}

/** Returns a function that counts errors by code, and logs them. */
export function countErrors(observer: string, errors: Map<string, number>, log: ObserverSetting['log']) {
  return ({ code, message }: Pick<RxInformersError, 'code' | 'message'>): void => {
    errors.set(code, (errors.get(code) ?? 0) + 1);
    log(`${observer}: ${code}: ${message}`);
  };
}

/** Returns a function that reads the last value of an Observable. */
export function latest<T>(values$: Observable<T>, initial: T, subscriptions: Subscription): () => T {
  let last = initial;
  subscriptions.add(
    values$.subscribe((value) => {
      last = value;
    }),
  );
  return () => last;
}

/**
 * Applies the changes to a Map. Returns a function that reads the Map.
 *
 * @param seesEveryUpdate true if the watch passes each update. Each update of the soak changes
 *   `spec`, for which the API server raises `metadata.generation` by one, so a lost update shows
 *   even if the next one follows at once.
 */
export function fold(
  changes$: Observable<ChangeSet<KubernetesObject>>,
  contradictions: string[],
  subscriptions: Subscription,
  seesEveryUpdate = false,
): () => Iterable<KubernetesObject> {
  const objects = new Map<string, KubernetesObject>();
  subscriptions.add(
    changes$.subscribe(({ reason, changes }) => {
      for (const change of changes) {
        const known = objects.get(change.key);
        const fits =
          change.type === 'added'
            ? known === undefined
            : change.type === 'updated'
              ? known === change.previous && uidOf(known) === uidOf(change.object)
              : known !== undefined && uidOf(known) === uidOf(change.object);
        if (!fits) contradictions.push(`${reason} ${change.type} ${change.key}`);
        if (seesEveryUpdate && reason === 'watch' && generationOf(change.object) > generationOf(known) + 1)
          contradictions.push(`watch skips a generation of ${change.key}`);
        if (change.type === 'deleted') objects.delete(change.key);
        else objects.set(change.key, change.object);
      }
    }),
  );
  return () => objects.values();
}

/** Applies the calls of a handler to a Map. Returns a function that reads the Map. */
export function handle(
  collection: Collection<KubernetesObject>,
  contradictions: string[],
  subscriptions: Subscription,
): () => Iterable<KubernetesObject> {
  const objects = new Map<string, KubernetesObject>();
  const check = (isRight: boolean, call: string): void => {
    if (!isRight) contradictions.push(call);
  };
  const registration = addEventHandler(collection, {
    onAdd: (object, { key }) => {
      check(!objects.has(key), `onAdd ${key}`);
      objects.set(key, object);
    },
    onUpdate: (previous, object, { key }) => {
      check(objects.get(key) === previous && uidOf(previous) === uidOf(object), `onUpdate ${key}`);
      objects.set(key, object);
    },
    onDelete: (_, { key }) => {
      check(objects.delete(key), `onDelete ${key}`);
    },
  });
  subscriptions.add(() => {
    registration.unsubscribe();
  });
  return () => objects.values();
}

/** Returns the generation of an object, and Infinity if it has none. */
function generationOf(object: KubernetesObject | undefined): number {
  return object?.metadata?.generation ?? Infinity;
}

function uidOf(object: KubernetesObject): string | undefined {
  return object.metadata?.uid;
}
