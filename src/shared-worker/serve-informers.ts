import { identity, interval, Subscription, type SchedulerLike } from 'rxjs';
import { serveInformer, type ServedInformer } from '../feeds/served-informer.js';
import type { Informer } from '../informer/source-informer.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { checkedDuration, steady } from '../scheduling/clock.js';
import { schedulerOf, type KubeClient } from '../sources/client/kube-client.js';
import type { ListWatchOptions } from '../sources/list-watch-options.js';
import { listWatch } from '../sources/list-watch.js';
import { ConnectedPage } from './connected-page.js';
import { heartbeat, type MessagePortLike, type RecordedPast, type SharedRequest } from './messages.js';
import { holdLifetimeLock } from './worker-lifetime-lock.js';

/**
 * Options of {@link serveInformers}, including the options of `listWatch` that apply to all pages.
 * Each page chooses which objects it reads: namespace, selectors, metadata only.
 */
export interface ServeInformersOptions extends Omit<
  ListWatchOptions<KubernetesObject>,
  'namespace' | 'labelSelector' | 'fieldSelector' | 'metadataOnly' | 'transform'
> {
  /**
   * Identifies the build, for example by a commit. Default `''`. A page with another `version` is
   * refused, and then reads from the API server itself.
   */
  readonly version?: string | undefined;
  /**
   * Identifies the user whose credentials the client has. Default: the `identity` of the latest
   * page that has connected. If it is given, a page with another `identity` is refused, and then
   * reads from the API server itself.
   */
  readonly identity?: string | undefined;
  /**
   * How long an informer stays connected after the last page has left it, in milliseconds. Default
   * 5,000, so that a reloaded page still finds the objects in the worker. A longer time keeps the
   * watch and the memory longer.
   */
  readonly linger?: number | undefined;
  /**
   * Records the past of each informer, for all pages, for example with `collectionHistory`. Pages
   * read it as text, with `SharedListWatch.past`. It is dropped with the informer, `linger`
   * milliseconds after the last page has left it. Default: nothing is recorded.
   */
  readonly past?: ((collection: Informer<KubernetesObject>) => RecordedPast) | undefined;
  /** Creates the source of each informer. Default `listWatch`. */
  readonly listWatch?: typeof listWatch | undefined;
}

/** The worker's side of a cache that all tabs share. */
export interface InformerServer {
  /** The number of connected pages. */
  readonly pages: number;
  /** The number of informers that run, including lingering informers. Each has one watch. */
  readonly informers: number;
  /** Serves a page. In a SharedWorker, it is called automatically for each `connect` event. */
  accept(port: MessagePortLike): void;
  /** Disconnects all pages and stops all informers. */
  stop(): void;
}

/**
 * Serves informers to all pages of an origin, from a SharedWorker. Pages read these informers with
 * {@link sharedListWatch}.
 *
 * Call it once, synchronously while the script of the worker is evaluated. If it is called later,
 * the `connect` events of earlier pages are lost.
 *
 * | event | in the worker |
 * | --- | --- |
 * | a request that differs from all current requests | one more informer, with one LIST and WATCH |
 * | a request equal to a request of another page | the same informer; its content is sent from memory |
 * | a page connects with another `identity` | all informers stop, and all earlier pages are refused: the credentials have changed |
 * | a page is busy | changes wait until the page has acknowledged earlier messages, and are then sent together; more than 500 changes are conflated |
 * | a page leaves, crashes, or is frozen for 16 seconds | the feeds of the page are closed; an informer without other pages stops after `linger` |
 *
 * **Guarantees**: Two requests are equal if they have the same resource, namespace, selectors and
 * `metadataOnly`. For each feed of a page, the worker keeps at most 1 MB of text that the page has
 * not acknowledged. It also keeps at most 500 waiting changes, or one entry for each waiting object
 * (G11).
 *
 * **Does not guarantee**: that a page that is far behind sees every state of an object.
 *
 * **Errors**: Errors of an informer are sent to the pages that use it.
 *
 * @param client the client that sends the requests, with its own credentials; pages send no
 *   requests through the worker
 * @param options the version of the script, and how long unused informers stay connected; see
 *   {@link ServeInformersOptions}
 * @returns the server, for statistics, and for workers that are not a SharedWorker
 * @example
 * // worker.ts
 * import { fetchClient } from 'rx-informers';
 * import { serveInformers } from 'rx-informers/shared-worker';
 *
 * serveInformers(fetchClient());
 */
export function serveInformers(client: KubeClient, options: ServeInformersOptions = {}): InformerServer {
  const server = new Server(client, options);
  const scope = globalThis as { readonly addEventListener?: EventTarget['addEventListener'] };
  if ('SharedWorkerGlobalScope' in globalThis) {
    const locked = holdLifetimeLock();
    scope.addEventListener?.('connect', (event) => {
      const [port] = (event as MessageEvent).ports;
      // A page would take the end of the worker for its beginning if it waited for the lock first.
      if (port !== undefined) void locked.then((lockName) => server.accept(port, lockName));
    });
  }
  return server;
}

class Server implements InformerServer {
  readonly #shared = new Map<string, ServedInformer>();
  /** The recorded past of the informers, under the same keys. */
  readonly #pasts = new Map<string, RecordedPast>();
  readonly #pages = new Set<ConnectedPage>();
  readonly #scheduler: SchedulerLike;
  readonly #linger: number;
  /** The identity of all pages, and of all objects. */
  #identity: string | undefined;
  #beats = Subscription.EMPTY;

  constructor(
    private readonly client: KubeClient,
    private readonly options: ServeInformersOptions,
  ) {
    this.#scheduler = steady(schedulerOf(client, options));
    this.#identity = options.identity;
    this.#linger = checkedDuration('linger', options.linger ?? 5_000);
  }

  get pages(): number {
    return this.#pages.size;
  }

  get informers(): number {
    return this.#shared.size;
  }

  accept(port: MessagePortLike, lockName?: string): void {
    const page = new ConnectedPage(port, this.options.version ?? '', {
      lockName,
      admits: (identity) => identity === (this.options.identity ?? identity),
      joined: (identity) => {
        this.#become(identity);
        this.#pages.add(page);
        if (this.#beats.closed) this.#beats = interval(heartbeat, this.#scheduler).subscribe(() => this.#beat());
      },
      left: () => {
        this.#pages.delete(page);
        if (this.#pages.size === 0) this.#beats.unsubscribe();
      },
      share: (request) => this.#share(request),
      past: ({ request, before, size }) => this.#pasts.get(JSON.stringify(request))?.read({ before, size }) ?? '',
    });
    page.start();
  }

  stop(): void {
    for (const page of this.#pages) page.leave();
    this.#stopInformers();
  }

  /** Drops what was read for another identity, because it had other credentials. */
  #become(identity: string): void {
    if (identity === this.#identity) return;
    this.#identity = identity;
    for (const page of this.#pages) page.refuse();
    this.#stopInformers();
  }

  #stopInformers(): void {
    for (const { references } of this.#shared.values()) references.close();
  }

  #beat(): void {
    for (const page of this.#pages) page.beat();
  }

  #share(request: SharedRequest): ServedInformer {
    const key = JSON.stringify(request);
    const known = this.#shared.get(key);
    if (known !== undefined) return known;
    const {
      version: _version,
      identity: _identity,
      linger: _linger,
      past,
      listWatch: sourceOf = listWatch,
      ...reading
    } = this.options;
    const { resource, namespace, labelSelector, fieldSelector, metadataOnly, isWhole } = request;
    const source = sourceOf<KubernetesObject, boolean, KubernetesObject>(this.client, resource, {
      ...reading,
      namespace,
      labelSelector: labelSelector || undefined,
      fieldSelector: fieldSelector || undefined,
      metadataOnly,
      ...(isWhole && { transform: identity }),
    });
    return serveInformer(
      source,
      {
        opened: (served) => {
          this.#shared.set(key, served);
          if (past !== undefined) this.#pasts.set(key, past(served.informer));
        },
        closed: () => {
          this.#shared.delete(key);
          this.#pasts.get(key)?.stop();
          this.#pasts.delete(key);
        },
      },
      this.#linger,
      this.#scheduler,
    );
  }
}
