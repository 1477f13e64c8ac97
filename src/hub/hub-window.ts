import {
  EMPTY,
  isObservable,
  map,
  Observable,
  of,
  repeat,
  ReplaySubject,
  switchMap,
  takeWhile,
  timer,
  type Subscription,
} from 'rxjs';
import type { FeedEntry, FeedMessage } from '../feeds/feed-messages.js';
import { invalidOptionError, type RxInformersError } from '../kubernetes/errors.js';
import { metaNamespaceKey } from '../kubernetes/keys.js';
import type { Resource } from '../kubernetes/resource.js';
import { formatLabelSelector, type LabelSelector } from '../kubernetes/selector.js';
import { hubError } from '../sources/model/errors.js';
import { Contacts } from '../sources/model/source.js';
import { emptyWindow, type View } from '../views/window/window-rows.js';
import type { HubSession } from './hub-link.js';
import type { HubFeedMessage, HubRequest } from './hub-messages.js';
import type { HubConnection } from './hub-source.js';
import { parsedWindow, type HubSortField, type HubTextFilter, type WindowRequest } from './window-request.js';

/** Which objects a window of a hub contains. */
export interface HubWindowScope {
  /** The namespaces to read, at most 100. Default: all namespaces. */
  readonly namespaces?: readonly string[] | undefined;
  /** As in `listWatch`. Default: all objects. */
  readonly labelSelector?: LabelSelector | undefined;
  /** As in `hubSource`. Default: all objects. */
  readonly fieldSelector?: string | undefined;
}

/** The order of a window, and the part that is shown. */
export interface HubWindowOptions {
  /** The fields to sort by, at most 5, the most important one first. Default: by key. */
  readonly sortBy?: readonly HubSortField[] | undefined;
  /** Only rows in which a field contains a text, without regard to case. Default: all rows. */
  readonly where?: HubTextFilter | undefined;
  /** Rows to skip. Default 0. */
  readonly offset?: number | undefined;
  /** Rows to show, at most 1,000. Default 50. */
  readonly limit?: number | undefined;
}

/** The rows of a window, and why they may be out of date. */
export interface HubView<T> extends View<T> {
  /** Present while the hub sends nothing: without rights there are no rows, otherwise the last. */
  readonly error?: RxInformersError<'RXI_HUB'> | undefined;
}

/**
 * Emits a sorted and filtered window over the objects of a kind, which the hub computes. A page
 * that shows 50 rows of 50,000 objects receives 50.
 *
 * | event | the page receives |
 * | --- | --- |
 * | the first view, and another order or filter | the rows that it does not have |
 * | other options with the same rows | their order and the total |
 * | a change outside of the window | nothing, or the total if it differs |
 * | the page is busy | only the latest view, once it has processed the one before |
 *
 * **Guarantees**: `total` counts only objects that the user may read. In several namespaces, the
 * user must have the rights in each of them. **Does not guarantee**: each intermediate view. Each
 * window costs the hub memory for one row of each object of the kind in its scope.
 *
 * @param hub the connection
 * @param resource the kind to read; the hub must serve it
 * @param scope the objects that the window contains
 * @param options order, filter, offset and limit, or a stream of such options
 * @returns a stream of views, which does not complete
 * @throws `RXI_INVALID_OPTION` for options beyond the limits, or emits it if they are a stream
 * @example
 * import { pods } from 'rx-informers';
 * import { connectHub, hubWindow$ } from 'rx-informers/hub';
 *
 * const byName = [{ path: ['metadata', 'name'] }];
 * hubWindow$(connectHub('/hub'), pods, { namespaces: ['shop'] }, { sortBy: byName }).subscribe(
 *   ({ rows, total }) => console.log(`${rows.length} of ${total}`),
 * );
 */
export function hubWindow$<T>(
  hub: HubConnection,
  resource: Resource<T>,
  scope: HubWindowScope = {},
  options: HubWindowOptions | Observable<HubWindowOptions> = {},
): Observable<HubView<T>> {
  const { group, version, plural } = resource;
  const { namespaces = [''], labelSelector = '', fieldSelector = '' } = scope;
  const request = {
    resource: { group, version, plural },
    namespaces,
    labelSelector: formatLabelSelector(labelSelector),
    fieldSelector,
    isWhole: true,
  };
  const windows$ = isObservable(options) ? options.pipe(map(checkedWindow)) : of(checkedWindow(options));
  return new Observable((subscriber) => {
    const reading = new WindowReading<T>(hub, request);
    // The latest options are needed again after each connection.
    const latest$ = new ReplaySubject<WindowRequest>(1);
    const error = (failure: unknown): void => subscriber.error(failure);
    subscriber.add(windows$.subscribe({ next: (window) => latest$.next(window), error }));
    const views$ = hub.link.link$.pipe(
      switchMap((state): Observable<HubView<T>> => {
        switch (state.state) {
          case 'open':
            return reading.read(state.session, latest$);
          case 'connecting':
            return EMPTY;
          case 'waiting':
            return of(reading.failed(state.cause));
        }
      }),
    );
    if (!subscriber.closed) subscriber.add(views$.subscribe(subscriber));
  });
}

function checkedWindow({ sortBy = [], where, offset = 0, limit = 50 }: HubWindowOptions): WindowRequest {
  const window = parsedWindow({ sortBy, where, offset, limit });
  if (window !== undefined) return window;
  throw invalidOptionError('the window', { sortBy, where, offset, limit }, 'at most 1,000 rows by at most 5 paths');
}

/** One subscription to a window. */
class WindowReading<T> {
  #objects = new Map<string, T>();
  #view: View<T> = emptyWindow;
  #attempt = 0;
  #wait = 0;
  /** The last view of a request, after which the next request follows. */
  #lastView: HubView<T> | undefined;

  constructor(
    private readonly hub: HubConnection,
    private readonly request: HubRequest,
  ) {}

  read(session: HubSession, windows$: Observable<WindowRequest>): Observable<HubView<T>> {
    const { scheduler } = this.hub.settings;
    const views$ = new Observable<HubView<T>>((subscriber) => {
      let feed: Subscription | undefined;
      let id: number | undefined;
      let latest: WindowRequest | undefined;
      const open = (window: WindowRequest): void => {
        const receive = (message: FeedMessage | HubFeedMessage): readonly [] => {
          id = message.id;
          if (message.type === 'opened' && latest !== window && latest !== undefined)
            session.send({ type: 'window', id, window: latest });
          const view = this.#take(message);
          if (view !== undefined) subscriber.next(view);
          return [];
        };
        feed = session.read({ ...this.request, window }, receive, new Contacts(), scheduler).subscribe();
        subscriber.add(feed);
      };
      const show = (window: WindowRequest): void => {
        latest = window;
        if (feed === undefined) open(window);
        else if (id !== undefined) session.send({ type: 'window', id, window });
      };
      subscriber.add(windows$.subscribe(show));
    });
    return views$.pipe(
      takeWhile((view) => view !== this.#lastView, true),
      repeat({ delay: () => timer(this.#wait, scheduler) }),
    );
  }

  /** Returns the last view, with the reason why it may be out of date. */
  failed(error: RxInformersError<'RXI_HUB'>): HubView<T> {
    return { ...this.#view, error };
  }

  #take(message: FeedMessage | HubFeedMessage): HubView<T> | undefined {
    switch (message.type) {
      case 'opened':
        this.#attempt = 0;
        this.#objects = new Map();
        return undefined;
      case 'part':
        return message.end?.rows && this.#show(JSON.parse(message.text) as readonly FeedEntry[], message.end.rows);
      case 'ended': {
        this.#wait = this.hub.settings.backoff(++this.#attempt, this.hub.settings.random());
        if (message.reason === 'forbidden') this.#view = emptyWindow;
        this.#lastView = this.failed(hubError(message.reason, message.detail));
        return this.#lastView;
      }
      default:
        return undefined;
    }
  }

  #show(entries: readonly FeedEntry[], { keys, offset, total }: Omit<View<T>, 'rows'>): View<T> {
    const known = this.#objects;
    for (const entry of entries)
      if ('object' in entry && !('deleted' in entry)) known.set(metaNamespaceKey(entry.object), entry.object as T);
    const rows = keys.map((key) => known.get(key) as T);
    this.#objects = new Map(keys.map((key, index) => [key, rows[index] as T]));
    this.#view = { rows, keys, offset, total };
    return this.#view;
  }
}
