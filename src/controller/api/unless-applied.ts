import { defer, of, tap, type Observable } from 'rxjs';
import {
  compareResourceVersions,
  type ObjectMeta,
  isAnotherIncarnation,
  resourceVersionOf,
} from '../../kubernetes/object.js';
import { shareStructure } from '../../kubernetes/share-structure.js';
import type { ReadCache } from './call-options.js';

/** One configuration of one field manager for one object. */
export interface Application {
  /** The key of the object in the cache. */
  readonly key: string;
  readonly fieldManager: string | undefined;
  readonly subresource: string | undefined;
  /** What is applied, as it is sent. */
  readonly body: string;
}

/** The last application of a field manager to an object, and the newest state of the object that has all of it. */
interface Applied {
  readonly key: string;
  readonly body: string;
  readonly object: unknown;
}

/**
 * Emits the object without sending anything if this process has applied exactly this, and the object
 * is still as the server answered, as far as the cache knows; applies it otherwise.
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
    // What becomes of a call without an answer is not known.
    applications.delete(id);
    return apply().pipe(tap((answer) => applications.set(id, { key, body, object: answer })));
  });
}

/**
 * Returns the newest known state of an object that still is as it was `applied`, `undefined` if that is
 * not known. Pure.
 *
 * | the cache holds | result |
 * | --- | --- |
 * | an older version, or nothing yet | `applied` |
 * | the same version | the object |
 * | a newer version in which nothing but the status differs | the object in that version |
 * | a newer version in which more differs; another object of that name | `undefined` |
 * | nothing any more | `undefined` |
 */
export function stillApplied<T>(
  applied: T,
  key: string,
  { snapshot }: Pick<ReadCache<T>, 'snapshot'>,
  subresource: string | undefined,
): T | undefined {
  const version = resourceVersionOf(applied) ?? '';
  const held = snapshot.get(key);
  const reached = held === undefined ? snapshot.resourceVersion : (resourceVersionOf(held) ?? '');
  const order = compareResourceVersions(reached, version);
  if (order !== undefined && order < 0) return applied;
  if (held === undefined || isAnotherIncarnation(applied, held)) return undefined;
  if (isSameState(applied, held, subresource)) return held;
  // A cache that keeps less than the server sent shows what it keeps of the same version.
  return order === 0 ? applied : undefined;
}

/** Compares everything that can be applied; what only the server writes may differ. */
function isSameState(one: unknown, other: unknown, subresource: string | undefined): boolean {
  const before = applicable(one, subresource);
  return shareStructure(before, applicable(other, subresource)) === before;
}

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

/** By cache, so that what was applied is forgotten with it. */
const memories = new WeakMap<object, Applications>();

function applicationsOf(cache: ReadCache<unknown>): Applications {
  const known = memories.get(cache);
  if (known !== undefined) return known;
  const applications = new Applications(cache);
  memories.set(cache, applications);
  return applications;
}

/** The smallest number of applications at which those of deleted objects are looked for. */
const FEW = 100;

/** What was applied to the objects of a cache; that of objects which are gone is forgotten after a while. */
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

  /** Each application is looked at once for each time that their number has doubled. */
  #sweep(): void {
    for (const [id, { key }] of this.#byId) if (!this.cache.snapshot.has(key)) this.#byId.delete(id);
    this.#sweepAt = Math.max(FEW, 2 * this.#byId.size);
  }
}
