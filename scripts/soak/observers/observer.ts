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
import { rowsOf, type Rows } from '../rows.js';
import type { CountingClient } from './counting-client.js';

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

/** Returns a function that counts errors by name, and logs them. */
export function countErrors(observer: string, errors: Map<string, number>, log: ObserverSetting['log']) {
  return ({ name, message }: Pick<RxInformersError, 'name' | 'message'>): void => {
    errors.set(name, (errors.get(name) ?? 0) + 1);
    log(`${observer}: ${name}: ${message}`);
  };
}

/** Returns a function that reads the last value of an Observable. */
export function latest<T>(values$: Observable<T>, initial: T, held: Subscription): () => T {
  let last = initial;
  held.add(
    values$.subscribe((value) => {
      last = value;
    }),
  );
  return () => last;
}

/** Applies the changes to a Map. Returns a function that reads the Map. */
export function fold(
  changes$: Observable<ChangeSet<KubernetesObject>>,
  contradictions: string[],
  held: Subscription,
): () => Iterable<KubernetesObject> {
  const objects = new Map<string, KubernetesObject>();
  held.add(
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
  held: Subscription,
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
  held.add(() => {
    registration.unsubscribe();
  });
  return () => objects.values();
}

function uidOf(object: KubernetesObject): string | undefined {
  return object.metadata?.uid;
}
