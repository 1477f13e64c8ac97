import { defer, of, tap, type Observable } from 'rxjs';
import {
  compareResourceVersions,
  type ObjectMeta,
  isSameIncarnation,
  resourceVersionOf,
} from '../../kubernetes/object.js';
import { isEqualContent } from '../../kubernetes/share-structure.js';
import type { ReadCache } from './call-options.js';

/** The configuration that one field manager applies to one object. */
export interface Application {
  /** The key of the object in the cache. */
  readonly key: string;
  readonly fieldManager: string | undefined;
  readonly subresource: string | undefined;
  /** The applied object, as it is sent. */
  readonly body: string;
}

/** The configuration that a field manager last applied, and the newest state in which it holds. */
interface Applied {
  readonly key: string;
  readonly body: string;
  readonly object: unknown;
}

/**
 * Applies an object, unless the last call of this process for it applied an equal configuration and
 * the cache still shows the state that the server returned.
 */
export function unlessApplied<T>(
  cache: ReadCache<T>,
  { key, fieldManager, subresource, body }: Application,
  apply: () => Observable<T>,
): Observable<T> {
  return defer(() => {
    const applications = applicationsOf(cache);
    const id = JSON.stringify([key, fieldManager, subresource]);
    const last = applications.get(id);
    const object = last?.body === body ? stillApplied(last.object as T, key, cache, subresource) : undefined;
    if (object !== undefined) {
      applications.set(id, { key, body, object });
      return of(object);
    }
    // The last result is dropped before the call. If the call gets no response, it is not known
    // whether the object was changed.
    applications.delete(id);
    return apply().pipe(tap((answer) => applications.set(id, { key, body, object: answer })));
  });
}

/**
 * Returns the newest known state of an object if it is still equal to `applied`, the state that the
 * server returned. Otherwise returns `undefined`. Pure.
 *
 * | the cache contains | result |
 * | --- | --- |
 * | an older version, or nothing yet | `applied` |
 * | the same version | the cached object |
 * | a newer version in which only the status differs | the cached object |
 * | a newer version in which other fields differ; another object with that name | `undefined` |
 * | no object, because it was deleted | `undefined` |
 */
function stillApplied<T>(
  applied: T,
  key: string,
  { snapshot }: Pick<ReadCache<T>, 'snapshot'>,
  subresource: string | undefined,
): T | undefined {
  const version = resourceVersionOf(applied) ?? '';
  const cached = snapshot.get(key);
  const reached = cached === undefined ? snapshot.resourceVersion : (resourceVersionOf(cached) ?? '');
  const order = compareResourceVersions(reached, version);
  if (order !== undefined && order < 0) return applied;
  if (cached === undefined || isSameIncarnation(applied, cached) === false) return undefined;
  if (isEqualContent(applicable(applied, subresource), applicable(cached, subresource))) return cached;
  // If the cache keeps only a part of each object, the cached object is a part of the same version,
  // so nothing has changed.
  return order === 0 ? applied : undefined;
}

/** Returns the fields that can be applied, without those that only the server writes. */
function applicable(object: unknown, subresource: string | undefined): unknown {
  const {
    apiVersion: _apiVersion,
    kind: _kind,
    metadata,
    status,
    ...rest
  } = object as Readonly<Record<string, unknown>>;
  const { labels, annotations, ownerReferences, finalizers } = (metadata ?? {}) as ObjectMeta;
  const written = { ...rest, labels, annotations, ownerReferences, finalizers };
  return subresource === undefined ? written : { ...written, status };
}

/** The remembered applications of each cache. They are garbage-collected with the cache. */
const memories = new WeakMap<object, Applications>();

function applicationsOf(cache: ReadCache<unknown>): Applications {
  const known = memories.get(cache);
  if (known !== undefined) return known;
  const applications = new Applications(cache);
  memories.set(cache, applications);
  return applications;
}

/** From this number of applications on, the applications of deleted objects are removed. */
const FEW = 100;

/** The applications to the objects of one cache. Those of deleted objects go later. */
class Applications {
  readonly #byId = new Map<string, Applied>();
  #sweepAt = FEW;

  constructor(private readonly cache: ReadCache<unknown>) {}

  get(id: string): Applied | undefined {
    return this.#byId.get(id);
  }

  set(id: string, applied: Applied): void {
    this.#byId.set(id, applied);
    if (this.#byId.size > this.#sweepAt) this.#sweep();
  }

  delete(id: string): void {
    this.#byId.delete(id);
  }

  /** Removes those of deleted objects each time their number has doubled: O(1) on average. */
  #sweep(): void {
    for (const [id, { key }] of this.#byId) if (!this.cache.snapshot.has(key)) this.#byId.delete(id);
    this.#sweepAt = Math.max(FEW, 2 * this.#byId.size);
  }
}
