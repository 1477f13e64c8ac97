import { Subscription } from 'rxjs';
import type { Resource } from '../kubernetes/resource.js';
import { formatLabelSelector, type LabelSelector } from '../kubernetes/selector.js';
import type { KubeClient } from '../sources/client/kube-client.js';
import { listWatch, type ListWatchOptions, type Received, type WithoutTransform } from '../sources/list-watch.js';
import type { Indexers } from '../store/index-function.js';
import { IndexerConflictError } from '../store/store-error.js';
import { informer, type Informer } from './informer.js';
import type { InformerOptions } from './informer-options.js';
import { areSameOptions, onlyFunctionsMadeAnew, type Options } from './same-options.js';
import { UnstableRequestError } from './unstable-request-error.js';

/** What is asked of a registry: the options of the list-watch, and of the informer over what it delivers. */
export type RegistryRequest<
  T,
  I extends string,
  MetadataOnly extends boolean = false,
  R = Received<T, MetadataOnly>,
> = ListWatchOptions<T, MetadataOnly, R> & InformerOptions<NoInfer<R>, I>;

/**
 * The shared informer factory: one informer for each resource and set of options, started on first use or all together.
 *
 * **Guarantees**: whoever asks for the same gets the same informer (F1), and so shares its watch; one informer can be stopped
 * alone (▲ F4) and is then forgotten: asking again makes a new one.
 */
export interface InformerRegistry {
  /**
   * The informer for a resource. Options are the same when each of them says the same (functions, Observables and instances of classes by
   * identity); `indexers` are not compared but added to the shared informer. Throws `IndexerConflictError` where one name stands for two
   * functions, `UnstableRequestError` where it was asked ten times for what differs in functions with the same text only,
   * `InvalidSelectorError`.
   */
  informer<T, I extends string = never, MetadataOnly extends boolean = false>(
    resource: Resource<T>,
    request?: RegistryRequest<T, I, MetadataOnly> & WithoutTransform,
  ): Informer<Received<T, MetadataOnly>, I>;
  informer<T, I extends string = never, MetadataOnly extends boolean = false, R = Received<T, MetadataOnly>>(
    resource: Resource<T>,
    request: RegistryRequest<T, I, MetadataOnly, R> | undefined,
  ): Informer<R, I>;
  /** Connects every informer that was asked for and does not run yet; call it again after asking for more (F2). */
  start(): void;
  /** Resolves when every informer that is running now has synced (F3); rejects when aborted or when one is stopped before. */
  whenSynced(options?: { readonly signal?: AbortSignal }): Promise<void>;
  /** Stops one informer, or all of them, whoever is subscribed: their streams complete. */
  stop(stopped?: { stop(): void }): void;
}

/**
 * Makes a registry over one client.
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

/** So many informers that look the same to whoever wrote them are a mistake. */
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
    request: RegistryRequest<T, I, MetadataOnly, R> = {},
  ): Informer<R, I> {
    const { indexers = {} as Indexers<R, I>, ...options } = inOneForm(request);
    const path = [resource.group, resource.version, resource.plural].join('/');
    const known = this.#registered.find((entry) => entry.path === path && areSameOptions(entry.options, options));
    if (known) return shareIndexers(known.informer as unknown as Informer<R>, indexers);
    this.#refuseUnstable(resource.plural, path, options);
    const created = informer(listWatch(this.client, resource, options), { ...options, indexers });
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

  async whenSynced(options: { readonly signal?: AbortSignal } = {}): Promise<void> {
    const running = this.#registered.filter((entry) => entry.informer.isRunning);
    await Promise.all(running.map((entry) => entry.informer.whenSynced(options)));
  }

  stop(stopped?: { stop(): void }): void {
    const leaving = this.#registered.filter((entry) => stopped === undefined || entry.informer === stopped);
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

/** What a label selector says counts, not in which form. */
function inOneForm<Request extends { readonly labelSelector?: LabelSelector | undefined }>(request: Request): Request {
  const { labelSelector } = request;
  return labelSelector === undefined ? request : { ...request, labelSelector: formatLabelSelector(labelSelector) };
}

function shareIndexers<T, I extends string>(shared: Informer<T>, indexers: Indexers<T, I>): Informer<T, I> {
  const names = Object.keys(indexers) as I[];
  const conflicts = names.filter(
    (name) => Object.hasOwn(shared.indexers, name) && shared.indexers[name] !== indexers[name],
  );
  if (conflicts.length > 0) throw new IndexerConflictError(conflicts);
  const missing = names.filter((name) => !Object.hasOwn(shared.indexers, name));
  if (missing.length === 0) return shared;
  const added: Indexers<T> = Object.fromEntries(missing.map((name) => [name, indexers[name]]));
  return shared.addIndexers(added);
}
