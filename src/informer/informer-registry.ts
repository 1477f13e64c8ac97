import { isObservable, type Observable, Subscription } from 'rxjs';
import { unstableRequestError } from '../collections/errors.js';
import { knownInternals } from '../collections/log-collection.js';
import { development, isDevelopment, warnOfMistake } from '../kubernetes/development.js';
import type { Resource } from '../kubernetes/resource.js';
import { formatLabelSelector } from '../kubernetes/selector.js';
import { isPlainObject } from '../kubernetes/share-structure.js';
import { type KubeClient, randomOf, schedulerOf } from '../sources/client/kube-client.js';
import { listWatchDefaults, type ReceivedObject, type WithoutTransform } from '../sources/list-watch-options.js';
import { listWatch } from '../sources/list-watch.js';
import type { NamespaceSet } from '../sources/merge/in-namespaces.js';
import { checkClient } from '../sources/model/checked-options.js';
import { indexerConflictError } from '../store/errors.js';
import type { Indexers } from '../store/index-functions.js';
import { informerDefaults, type ResourceInformerOptions } from './informer-options.js';
import { type Informer, informerOver } from './source-informer.js';

/**
 * Holds one informer for each resource and set of options, like client-go's SharedInformerFactory.
 * Informers start on first use or all together.
 *
 * **Guarantees**: equal requests return the same informer (F1), and so share its watch. A single
 * informer can be stopped (▲ F4); the next request for it creates a new one.
 */
export interface InformerRegistry {
  /**
   * Returns the informer for a resource; the first request creates it, as
   * `informer(client, resource, options)` does.
   *
   * Requests share an informer if all their options have the same value. An omitted option has its
   * default. The order of namespaces, and of the requirements of a selector, does not count.
   * `inNamespaces` with one namespace is that namespace, without a partition; with `startWithout`,
   * or with a `keyOf` of its own, it is not. Functions, Observables and instances of classes are
   * compared by identity. `indexers` are not compared but added to the shared informer. `name`,
   * `onUnobservedError` and `onSlowSubscriber` are not compared; the values of the first request
   * are used.
   *
   * @throws `RXI_INDEXER_CONFLICT` if two functions have the same index name. Two functions with
   *   the same source text are different, because they may close over different values: define an
   *   index function once, at module scope.
   * @throws `RXI_UNSTABLE_REQUEST` after ten requests that differ only in functions with the same
   *   source text
   * @throws `RXI_INVALID_SELECTOR` or `RXI_INVALID_OPTION` for an invalid option
   */
  informer<T, I extends string = never, MetadataOnly extends boolean = false>(
    resource: Resource<T>,
    request?: ResourceInformerOptions<T, I, MetadataOnly> & WithoutTransform,
  ): Informer<ReceivedObject<T, MetadataOnly>, I>;
  informer<T, I extends string = never, MetadataOnly extends boolean = false, R = ReceivedObject<T, MetadataOnly>>(
    resource: Resource<T>,
    request: ResourceInformerOptions<T, I, MetadataOnly, R> | undefined,
  ): Informer<R, I>;
  /** The informers that were requested and not stopped, in that order. Reading starts none. */
  readonly informers: readonly Informer<unknown>[];
  /** Connects every informer that does not run yet. Call it again after further requests (F2). */
  start(): void;
  /**
   * Resolves when every informer that runs now has synced (F3). Rejects when aborted, or if one of
   * them stops before it has synced.
   */
  whenSynced(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
  /** Calls `recheck` of every running informer, for example for a button "Try now". */
  recheck(): void;
  /**
   * Stops the given informer, or without an argument all informers of this registry. The streams of
   * their subscribers complete. Does nothing for an informer of another registry.
   */
  stop(...stopped: readonly [] | readonly [informer: { stop(): void }]): void;
}

/** Options of `informerRegistry`. */
export interface InformerRegistryOptions {
  /** The default of the option `wakeOn` of all informers. Default: none. */
  readonly wakeOn?: Observable<unknown> | undefined;
  /**
   * Creates the source of each informer. Default `listWatch`: each informer has its own watch.
   * `sharedListWatch` of `rx-informers/shared-worker` returns a function whose sources read from a
   * cache that all tabs of a browser share.
   */
  readonly listWatch?: typeof listWatch | undefined;
}

/**
 * Creates a registry over one client.
 *
 * @param client the connection of all informers
 * @param options defaults of all informers
 * @returns a registry in which equal requests share one informer
 * @example
 * const registry = informerRegistry(client);
 * const podInformer = registry.informer(pods, { indexers: { node: indexByNode } });
 * const nodeInformer = registry.informer(nodes);
 * registry.start();
 * await registry.whenSynced();
 * console.log(nodeInformer.list().length, podInformer.byIndex('node', 'worker-1').length);
 */
export function informerRegistry(client: KubeClient, options: InformerRegistryOptions = {}): InformerRegistry {
  checkClient(client);
  return registryOver(client, { ...options, listWatch: options.listWatch ?? listWatch });
}

/** Creates a registry over a source, as `informerRegistry` does. */
export function registryOver(client: KubeClient, options: OptionsOver): InformerRegistry {
  return new ClientRegistry(client, options);
}

type OptionsOver = InformerRegistryOptions & { readonly listWatch: typeof listWatch };

/**
 * A request for an informer as a value: a resource and options. `defineRequest` creates it.
 *
 * @typeParam R the objects of the informer
 * @typeParam I the names of its indexes
 */
export interface InformerRequest<R, I extends string = never> {
  readonly resource: Resource<unknown>;
  /** Requests the informer from a registry. */
  from(registry: InformerRegistry): Informer<R, I>;
}

/**
 * Defines a request for an informer. Call it once, at module scope, for example outside of React
 * components for `useInformer`. Functions in options are compared by identity, so options with
 * functions that are written inline would be different in each call.
 *
 * @param resource the kind to read, for example `pods`
 * @param options as for `informer`
 * @returns a request for {@link InformerRegistry} and `useInformer`
 * @example
 * const podsByNode = defineRequest(pods, { indexers: { node: indexByNode } });
 * const podInformer = podsByNode.from(informerRegistry(client));
 */
export function defineRequest<T, I extends string = never, MetadataOnly extends boolean = false>(
  resource: Resource<T>,
  options?: ResourceInformerOptions<T, I, MetadataOnly> & WithoutTransform,
): InformerRequest<ReceivedObject<T, MetadataOnly>, I>;
export function defineRequest<
  T,
  I extends string = never,
  MetadataOnly extends boolean = false,
  R = ReceivedObject<T, MetadataOnly>,
>(resource: Resource<T>, options: ResourceInformerOptions<T, I, MetadataOnly, R>): InformerRequest<R, I>;
export function defineRequest<T, I extends string, MetadataOnly extends boolean, R>(
  resource: Resource<T>,
  options: ResourceInformerOptions<T, I, MetadataOnly, R> = {},
): InformerRequest<R, I> {
  return Object.freeze({ resource, from: (registry: InformerRegistry) => registry.informer(resource, options) });
}

/** Reports, in development, the informers for which an aborted `whenSynced` has waited. */
function noteMissing(informers: readonly Informer<unknown>[]): void {
  // The form of `isDevelopment` that a bundler can evaluate: see there.
  try {
    if (process.env.NODE_ENV !== 'production') throw development;
  } catch {
    const missing = informers
      .filter(({ hasSynced }) => !hasSynced)
      .map((each) => `${knownInternals(each)?.name} (${each.status.state})`);
    if (missing.length > 0)
      warnOfMistake(`whenSynced() of a registry was aborted before these had synced: ${missing.join(', ')}.`);
  }
}

/** More requests that differ only in functions with the same text are refused as unstable. */
const TOO_MANY = 10;

interface Registered {
  readonly path: string;
  readonly options: Options;
  readonly informer: Informer<unknown>;
  connection: Subscription;
}

class ClientRegistry implements InformerRegistry {
  #registered: readonly Registered[] = [];

  constructor(
    private readonly client: KubeClient,
    private readonly options: OptionsOver,
  ) {}

  informer<T, I extends string, MetadataOnly extends boolean, R>(
    resource: Resource<T>,
    requested: ResourceInformerOptions<T, I, MetadataOnly, R> = {},
  ): Informer<R, I> {
    const request = {
      ...requested,
      namespace: namespaceOf(requested),
      wakeOn: requested.wakeOn ?? this.options.wakeOn,
    };
    const {
      indexers = {} as Indexers<R, I>,
      name: _name,
      onUnobservedError: _report,
      onSlowSubscriber: _slow,
      ...rest
    } = request;
    const options = comparableOptions(this.client, rest);
    const path = [resource.group, resource.version, resource.plural].join('/');
    const known = this.#registered.find((entry) => entry.path === path && isSame(entry.options, options, Object.is));
    if (known) return shareIndexers(resource.plural, known.informer as unknown as Informer<R>, indexers);
    this.#refuseUnstable(resource.plural, path, options);
    const created = informerOver(this.options.listWatch(this.client, resource, request), request);
    const registered = {
      path,
      options,
      informer: created as unknown as Informer<unknown>,
      connection: Subscription.EMPTY,
    };
    this.#registered = [...this.#registered, registered];
    return created;
  }

  get informers(): readonly Informer<unknown>[] {
    return this.#registered.map((entry) => entry.informer);
  }

  start(): void {
    for (const entry of this.#registered) {
      if (entry.connection.closed) entry.connection = entry.informer.connect();
    }
  }

  async whenSynced(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    const running = this.#registered.map((entry) => entry.informer).filter(({ isRunning }) => isRunning);
    try {
      await Promise.all(running.map((each) => each.whenSynced(options)));
    } catch (error) {
      if (options.signal?.aborted === true) noteMissing(running);
      throw error;
    }
  }

  recheck(): void {
    for (const { informer: registered } of this.#registered) registered.recheck();
  }

  stop(...stopped: readonly [] | readonly [informer: { stop(): void }]): void {
    // A given but undefined argument is a mistake, and must not stop all informers.
    const leaving = this.#registered.filter((entry) => stopped.length === 0 || entry.informer === stopped[0]);
    this.#registered = this.#registered.filter((entry) => !leaving.includes(entry));
    for (const entry of leaving) {
      entry.connection.unsubscribe();
      entry.informer.stop();
    }
  }

  #refuseUnstable(plural: string, path: string, options: Options): void {
    const repeated = this.#registered
      .filter((entry) => entry.path === path)
      .map((entry) => createdAgain(entry.options, options))
      .filter((names) => names.length > 0);
    if (repeated.length >= TOO_MANY) throw unstableRequestError(plural, [...new Set(repeated.flat())]);
  }
}

/**
 * The default of each option that is compared. A page size has none, because a stated one also
 * limits lists that have no limit otherwise.
 */
const defaults: Options = { ...informerDefaults, ...listWatchDefaults, pageSize: undefined };

/** Returns the options as they are compared: with defaults, and the selector as text. */
function comparableOptions(
  client: KubeClient,
  options: Pick<ResourceInformerOptions<never, never>, 'labelSelector' | 'fieldSelector'>,
): Options {
  const stated = Object.entries(options).filter(([, value]) => value !== undefined);
  const { fieldSelector = '' } = options;
  return {
    ...defaults,
    freeze: isDevelopment(),
    scheduler: schedulerOf(client),
    random: randomOf(client),
    ...Object.fromEntries(stated),
    labelSelector: formatLabelSelector(options.labelSelector ?? ''),
    // A comma within a value is escaped by a backslash.
    fieldSelector: [...(fieldSelector.match(/(?:\\.|[^,\\])+/g) ?? [])].sort().join(','),
  };
}

/**
 * Returns the namespaces of a request, one as text, several sorted. The partition of one matters
 * only to a key function; `startWithout` changes what a forbidden namespace means.
 */
function namespaceOf({
  namespace,
  keyOf = informerDefaults.keyOf,
}: Pick<ResourceInformerOptions<never, never>, 'namespace' | 'keyOf'>): string | NamespaceSet | undefined {
  if (typeof namespace !== 'object' || isObservable(namespace.names)) return namespace;
  const names = [...new Set(namespace.names)].sort();
  const isPlain = names.length === 1 && keyOf === informerDefaults.keyOf && (namespace.startWithout ?? []).length === 0;
  return isPlain ? names[0] : { ...namespace, names };
}

function shareIndexers<T, I extends string>(
  plural: string,
  shared: Informer<T>,
  indexers: Indexers<T, I>,
): Informer<T, I> {
  const names = Object.keys(indexers) as I[];
  const conflicts = names.filter(
    (name) => Object.hasOwn(shared.indexers, name) && shared.indexers[name] !== indexers[name],
  );
  if (conflicts.length > 0) {
    const isMadeAnew = conflicts.every((name) => isSameText(shared.indexers[name], indexers[name]));
    throw indexerConflictError(conflicts, conflictMessage(plural, conflicts, isMadeAnew));
  }
  const missing = names.filter((name) => !Object.hasOwn(shared.indexers, name));
  if (missing.length === 0) return shared;
  const added: Indexers<T> = Object.fromEntries(missing.map((name) => [name, indexers[name]]));
  return shared.addIndexers(added);
}

/**
 * Returns the message for conflicting index functions. Equal texts are not shared: they may close
 * over different values, and the index would be wrong without notice.
 */
function conflictMessage(plural: string, conflicts: readonly string[], isMadeAnew: boolean): string {
  const [subject, has] = conflicts.length === 1 ? ['index', 'has'] : ['indexes', 'have'];
  const taken = `the ${subject} ${conflicts.map((name) => JSON.stringify(name)).join(', ')} already ${has}`;
  return isMadeAnew
    ? `${plural}: ${taken} a function with the same source text, created again by each call; ` +
        'define the function once, at module scope (outside of React components), and pass that one'
    : `${plural}: ${taken} another function; choose another name for this one, or pass the same function`;
}

/** Options by name, in the form in which they are compared. */
type Options = Readonly<Record<string, unknown>>;

/**
 * Returns the names of the options that a second call has created again: functions with the same
 * text, or what else `isEqual` accepts. Returns an empty array if other options differ, too.
 */
export function createdAgain(first: Options, second: Options, isEqual = isSameText): readonly string[] {
  return isSame(first, second, isEqual) ? differences(first, second, Object.is) : [];
}

/** Returns true for equal source texts, and for instances of the same class. */
export function isAlike(a: unknown, b: unknown): boolean {
  if (isSameText(a, b)) return true;
  const areObjects = typeof a === 'object' && typeof b === 'object' && a !== null && b !== null;
  return areObjects && Object.getPrototypeOf(a) === Object.getPrototypeOf(b);
}

type Compare = (a: unknown, b: unknown) => boolean;

function differences(a: Options, b: Options, compare: Compare): readonly string[] {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].filter((name) => !isSame(a[name], b[name], compare));
}

function isSame(a: unknown, b: unknown, compare: Compare): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, position) => isSame(item, b[position], compare));
  }
  if (isPlainObject(a) && isPlainObject(b)) return differences(a, b, compare).length === 0;
  return compare(a, b);
}

/** Returns true for equal source texts, which may still close over different values. */
function isSameText(a: unknown, b: unknown): boolean {
  return Object.is(a, b) || (typeof a === 'function' && typeof b === 'function' && String(a) === String(b));
}
