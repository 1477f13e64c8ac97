import { Subscription } from 'rxjs';
import type { Resource } from '../kubernetes/resource.js';
import { formatLabelSelector } from '../kubernetes/selector.js';
import { randomOf, schedulerOf, type KubeClient } from '../sources/client/kube-client.js';
import { listWatchDefaults, type Received, type WithoutTransform } from '../sources/list-watch-options.js';
import { isDevelopment } from '../store/freeze.js';
import type { Indexers } from '../store/index-functions.js';
import { IndexerConflictError } from '../store/errors.js';
import { informerDefaults, type ResourceInformerOptions } from './informer-options.js';
import { informer, type Informer } from './informer.js';
import { UnstableRequestError } from './errors.js';

/**
 * One informer for each resource and set of options, started on first use or all together: client-go's
 * SharedInformerFactory.
 *
 * **Guarantees**: equal requests return the same informer (F1), and so share its watch. One informer
 * can be stopped alone (▲ F4); the next request for it creates a new one.
 */
export interface InformerRegistry {
  /**
   * Returns the informer for a resource; the first request creates it, as `informer(client, resource, options)` does.
   *
   * Requests share an informer if all their options have the same value; an option that is left out
   * has its default. Functions, Observables and instances of classes are compared by identity.
   * `indexers` are not compared but added to the shared informer. `name`, `onUnobservedError` and
   * `onSlowSubscriber` are not compared; those of the first request are used.
   *
   * @throws `IndexerConflictError` if one index name stands for two functions. Two functions with the
   * same source text are different, because they may close over different values: define an index
   * function once, at module scope.
   * @throws `UnstableRequestError` after ten requests that differ only in functions with the same source text
   * @throws `InvalidSelectorError` or `InvalidOptionError` for an invalid option
   */
  informer<T, I extends string = never, MetadataOnly extends boolean = false>(
    resource: Resource<T>,
    request?: ResourceInformerOptions<T, I, MetadataOnly> & WithoutTransform,
  ): Informer<Received<T, MetadataOnly>, I>;
  informer<T, I extends string = never, MetadataOnly extends boolean = false, R = Received<T, MetadataOnly>>(
    resource: Resource<T>,
    request: ResourceInformerOptions<T, I, MetadataOnly, R> | undefined,
  ): Informer<R, I>;
  /** Connects every informer that does not run yet. Call it again after further requests (F2). */
  start(): void;
  /** Resolves when every informer that runs now has synced (F3); rejects when aborted, or when one of them stops before. */
  whenSynced(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
  /**
   * Stops the given informer, or without an argument all of this registry, even if they have
   * subscribers: their streams complete. Does nothing for an informer of another registry.
   */
  stop(...stopped: readonly [] | readonly [informer: { stop(): void }]): void;
}

/**
 * Creates a registry over one client.
 *
 * @example
 * const registry = informerRegistry(client);
 * const podInformer = registry.informer(pods, { indexers: { node: indexByNode } });
 * const nodeInformer = registry.informer(nodes);
 * registry.start();
 * await registry.whenSynced();
 * console.log(nodeInformer.list().length, podInformer.byIndex('node', 'worker-1').length);
 */
export function informerRegistry(client: KubeClient): InformerRegistry {
  return new ClientRegistry(client);
}

/** So many requests that differ only in functions with the same text are a mistake of the caller. */
const TOO_MANY = 10;

interface Registered {
  readonly path: string;
  readonly options: Options;
  readonly informer: Informer<unknown>;
  connection: Subscription;
}

class ClientRegistry implements InformerRegistry {
  #registered: readonly Registered[] = [];

  constructor(private readonly client: KubeClient) {}

  informer<T, I extends string, MetadataOnly extends boolean, R>(
    resource: Resource<T>,
    request: ResourceInformerOptions<T, I, MetadataOnly, R> = {},
  ): Informer<R, I> {
    const {
      indexers = {} as Indexers<R, I>,
      name: _name,
      onUnobservedError: _report,
      onSlowSubscriber: _slow,
      ...given
    } = request;
    const options = settled(this.client, given);
    const path = [resource.group, resource.version, resource.plural].join('/');
    const known = this.#registered.find((entry) => entry.path === path && areSameOptions(entry.options, options));
    if (known) return shareIndexers(resource.plural, known.informer as unknown as Informer<R>, indexers);
    this.#refuseUnstable(resource.plural, path, options);
    const created = informer(this.client, resource, request);
    const registered = {
      path,
      options,
      informer: created as unknown as Informer<unknown>,
      connection: Subscription.EMPTY,
    };
    this.#registered = [...this.#registered, registered];
    return created;
  }

  start(): void {
    for (const entry of this.#registered) {
      if (entry.connection.closed) entry.connection = entry.informer.connect();
    }
  }

  async whenSynced(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    const running = this.#registered.filter((entry) => entry.informer.isRunning);
    await Promise.all(running.map((entry) => entry.informer.whenSynced(options)));
  }

  stop(...stopped: readonly [] | readonly [informer: { stop(): void }]): void {
    // An argument that is undefined is a mistake of the caller, and must not stop everything.
    const leaving = this.#registered.filter((entry) => stopped.length === 0 || entry.informer === stopped[0]);
    this.#registered = this.#registered.filter((entry) => !leaving.includes(entry));
    for (const entry of leaving) {
      entry.connection.unsubscribe();
      entry.informer.stop();
    }
  }

  #refuseUnstable(plural: string, path: string, options: Options): void {
    const anew = this.#registered
      .filter((entry) => entry.path === path)
      .map((entry) => onlyFunctionsMadeAnew(entry.options, options))
      .filter((names) => names.length > 0);
    if (anew.length >= TOO_MANY) throw new UnstableRequestError(plural, [...new Set(anew.flat())]);
  }
}

/** The default of each option that is compared. */
const defaults: Options = { ...informerDefaults, ...listWatchDefaults, labelSelector: '', fieldSelector: '' };

/** Returns options as they are compared: with their defaults, and with the label selector as text. */
function settled(
  client: KubeClient,
  options: Pick<ResourceInformerOptions<never, never>, 'labelSelector' | 'shard'>,
): Options {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const { shard } = options;
  return {
    ...defaults,
    freeze: isDevelopment(),
    scheduler: schedulerOf(client),
    random: randomOf(client),
    ...Object.fromEntries(given),
    labelSelector: formatLabelSelector(options.labelSelector ?? ''),
    shard: shard?.selector,
  };
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
    throw new IndexerConflictError(conflicts, conflictMessage(plural, conflicts, isMadeAnew));
  }
  const missing = names.filter((name) => !Object.hasOwn(shared.indexers, name));
  if (missing.length === 0) return shared;
  const added: Indexers<T> = Object.fromEntries(missing.map((name) => [name, indexers[name]]));
  return shared.addIndexers(added);
}

/** Two functions with the same text are not shared: they may close over different values, and the index would silently be wrong. */
function conflictMessage(plural: string, conflicts: readonly string[], isMadeAnew: boolean): string {
  const indexes = `${conflicts.length === 1 ? 'the index' : 'the indexes'} ${conflicts.map((name) => JSON.stringify(name)).join(', ')}`;
  return isMadeAnew
    ? `${plural}: ${indexes} already has a function with the same source text, created by each call; ` +
        'define the function once, at module scope (outside of React components), and pass that one'
    : `${plural}: ${indexes} already has another function; choose another name for this one, or pass the same function`;
}

/** Options by name, as they are compared. */
type Options = Readonly<Record<string, unknown>>;

/** Compares options: arrays and plain objects by their content, everything else (functions, Observables, instances) by identity. */
function areSameOptions(a: Options, b: Options): boolean {
  return differences(a, b, Object.is).length === 0;
}

/**
 * Returns the names of the options that differ, if all of them are functions with the same text.
 * Empty if anything else differs, too.
 */
function onlyFunctionsMadeAnew(a: Options, b: Options): readonly string[] {
  const hasOtherDifference = differences(a, b, isSameText).length > 0;
  return hasOtherDifference ? [] : differences(a, b, Object.is);
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

function isPlainObject(value: unknown): value is Options {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** True for functions with the same source text. They may still differ in what they close over. */
function isSameText(a: unknown, b: unknown): boolean {
  return Object.is(a, b) || (typeof a === 'function' && typeof b === 'function' && String(a) === String(b));
}
