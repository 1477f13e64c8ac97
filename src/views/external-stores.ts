import type { Observable } from 'rxjs';
import type { Collection } from '../informer/collection.js';
import { formatLabelSelector, type LabelSelector } from '../kubernetes/selector.js';
import { type ExternalStore, toExternalStore, type ExternalStoreOptions } from './to-external-store.js';

/** Options of `externalStores`. */
export interface ExternalStoresOptions extends ExternalStoreOptions {
  /**
   * What each stream goes through on its way into its store. Default: nothing. In a page that follows a busy cluster:
   * `(value$) => value$.pipe(pauseWhile(tabHidden$()), coalesceFrames())`.
   */
  readonly through?: (<V>(value$: Observable<V>) => Observable<V>) | undefined;
}

/** The live queries of a collection as stores, of which there is one for each question. */
export interface ExternalStores<T, I extends string = string> {
  /** One bucket, in key order. Throws `UnknownIndexError`. */
  byIndex(name: I, value: string): ExternalStore<readonly T[]>;
  /** One object, `undefined` while it does not exist. */
  get(key: string): ExternalStore<T | undefined>;
  /** All objects, or those that a selector matches, in key order; selectors that say the same are the same. Throws `InvalidSelectorError`. */
  list(selector?: LabelSelector): ExternalStore<readonly T[]>;
  /** The values that have at least one object, in order. Throws `UnknownIndexError`. */
  indexValues(name: I): ExternalStore<readonly string[]>;
}

/**
 * Makes the live queries of a collection stores that are shared: two components that ask for the same bucket get the same store, and with it
 * one subscription and one snapshot.
 *
 * Asked again for the same collection without options, it gives the same stores; with options, new ones, to be kept and handed around.
 *
 * **Guarantees**: whoever asks for the same gets the same store, for as long as anybody holds it or is subscribed to it; a store
 * that nobody holds costs nothing. The snapshot before the first value is an empty list, always the same one, or `undefined`.
 * **Errors**: `RangeError` for a `linger` that no timer can wait.
 *
 * @example
 * const stores = externalStores(podInformer);
 * const { subscribe, getSnapshot } = stores.byIndex('node', 'worker-1');
 * const stop = subscribe(() => console.log(getSnapshot().length));
 * stop();
 */
export function externalStores<T, I extends string>(
  collection: Collection<T, I>,
  options?: ExternalStoresOptions,
): ExternalStores<T, I> {
  if (options) return storesOf(collection, options);
  const known = shared.get(collection);
  if (known) return known as ExternalStores<T, I>;
  const made = storesOf(collection, {});
  shared.set(collection, made);
  return made;
}

const shared = new WeakMap<object, unknown>();

const NOTHING: readonly never[] = Object.freeze([]);

function storesOf<T, I extends string>(
  collection: Collection<T, I>,
  { through = identity, linger, scheduler }: ExternalStoresOptions,
): ExternalStores<T, I> {
  const stores = new WeakValues<ExternalStore<unknown>>();
  const store = <V>(question: readonly string[], ask: () => Observable<V>, initial: V): ExternalStore<V> =>
    stores.get(JSON.stringify(question), () =>
      toExternalStore(through(ask()), initial, { linger, scheduler }),
    ) as ExternalStore<V>;
  return {
    byIndex: (name, value) =>
      store<readonly T[]>(['byIndex', name, value], () => collection.byIndex$(name, value), NOTHING),
    get: (key) => store<T | undefined>(['get', key], () => collection.get$(key), undefined),
    list(selector) {
      const text = selector === undefined ? '' : formatLabelSelector(selector);
      return store<readonly T[]>(['list', text], () => collection.list$(text === '' ? undefined : text), NOTHING);
    },
    indexValues: (name) =>
      store<readonly string[]>(['indexValues', name], () => collection.indexValues$(name), NOTHING),
  };
}

function identity<V>(value: V): V {
  return value;
}

/** Values by name, each for as long as somebody else holds it: who asks for the same name meanwhile gets the same value. */
export class WeakValues<V extends object> {
  readonly #references = new Map<string, WeakRef<V>>();
  readonly #gone = new FinalizationRegistry<string>((name) => {
    if (this.#references.get(name)?.deref() === undefined) this.#references.delete(name);
  });

  /** How many names are remembered: those of values that are held, and for a while those of others. */
  get size(): number {
    return this.#references.size;
  }

  get(name: string, make: () => V): V {
    const held = this.#references.get(name)?.deref();
    if (held) return held;
    const made = make();
    this.#references.set(name, new WeakRef(made));
    this.#gone.register(made, name);
    return made;
  }
}
