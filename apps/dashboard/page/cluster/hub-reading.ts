import {
  isRxInformersError,
  listWatch,
  StatusError,
  type KubeClient,
  type ListWatchOptions,
  type Resource,
  type Source,
  type SourceStatus,
} from 'rx-informers';
import { connectHub, type HubConnection } from 'rx-informers/hub';
import { requestJson } from 'rx-informers/requests';
import type { WatchEventBatch } from 'rx-informers/store';
import {
  catchError,
  concat,
  defer,
  EMPTY,
  ignoreElements,
  map,
  merge,
  mergeMap,
  of,
  share,
  Subject,
  switchMap,
  take,
  tap,
  type Observable,
  type OperatorFunction,
} from 'rxjs';
import { kindsOfHub } from './hub-kinds.js';
import { selectedName } from './name-selector.js';

export type ReadingOptions = ListWatchOptions<unknown, boolean, unknown>;

/** Creates the sources of a server with a hub. */
export interface HubReading {
  /** Emits the source to read from: of the hub, or of the viewer's own requests. */
  sources(resource: Resource<unknown>, options: ReadingOptions): Observable<Source<unknown>>;
}

/**
 * Returns a reader of the kinds of a hub through it, with one socket for all sources, and everything else with
 * the viewer's own requests.
 *
 * | what | read |
 * | --- | --- |
 * | a kind that `/dashboard/info` names, with or without a namespace or a selector | through the hub |
 * | any other kind, metadata only, a transform | with own requests |
 * | a kind that the hub refuses, or cannot read | with own requests, until the source is subscribed to again |
 * | the hub cannot be reached at first | with own requests, until the source is subscribed to again |
 * | the connection to the hub is lost later | through the hub, which is connected again |
 * | the session has ended meanwhile | with own requests, whose 401 leads the page to the sign-in |
 *
 * @param connect opens the socket; default: the hub of the page's server
 */
export function hubReading(client: KubeClient, hub: HubConnection = connectHub('/hub')): HubReading {
  let known: ReadonlySet<string> | undefined;
  const kinds$ = defer(() =>
    known === undefined ? readInfo(client).pipe(tap((kinds) => (known = kinds))) : of(known),
  );
  const info$ = kinds$.pipe(
    // The server did not answer, so it has no hub for this source. The next source asks again.
    catchError(() => of<ReadonlySet<string>>(new Set())),
    share(),
  );
  const isSignedOut$ = defer(() => readInfo(client)).pipe(
    map(() => false),
    catchError((error: unknown) => of(error instanceof StatusError && error.statusCode === 401)),
    share(),
  );
  return {
    sources(resource, options) {
      const own: Source<unknown> = listWatch(client, resource, options);
      if (!canSelect(options)) return of(own);
      const throughHub = hub.listWatch(client, resource, options);
      return info$.pipe(
        switchMap((kinds) => {
          if (!kinds.has(idOf(resource))) return of(own);
          const refused$ = new Subject<void>();
          const refused = refused$.pipe(
            take(1),
            map(() => own),
          );
          const accepted = throughHub.through(
            untilRefused(selectedName(options.fieldSelector ?? '') !== undefined, isSignedOut$, refused$),
          );
          return merge(refused, of<Source<unknown>>(accepted));
        }),
      );
    },
  };
}

function readInfo(client: KubeClient): Observable<ReadonlySet<string>> {
  return requestJson<unknown>(client, '/dashboard/info').pipe(map((info) => new Set(kindsOfHub(info))));
}

function idOf({ group, version, plural }: Resource<unknown>): string {
  return [group, version, plural].join('/');
}

/** Returns true for a request that a hub can serve without sending more than the page needs. */
function canSelect({ metadataOnly = false, transform }: ReadingOptions): boolean {
  return !metadataOnly && transform === undefined;
}

/** What follows a status of a source of the hub. */
export type NextStep = 'continue' | 'check-session' | 'read-with-own-requests';

/**
 * Decides whether to read on through the hub. Pure.
 *
 * @param hasContent whether the source has emitted its first objects
 * @param selectsName whether the source selects one name. A hub does not know rights for single names
 */
export function nextStep(status: SourceStatus, hasContent: boolean, selectsName: boolean): NextStep {
  const cause = 'cause' in status ? status.cause : undefined;
  if (!isRxInformersError(cause, 'RXI_HUB')) return 'continue';
  switch (cause.problem) {
    case 'not-served':
    case 'invalid':
    case 'protocol':
      return 'read-with-own-requests';
    case 'lost':
      return hasContent ? 'check-session' : 'read-with-own-requests';
    case 'forbidden':
      return selectsName ? 'read-with-own-requests' : 'continue';
    case 'upstream':
      // The account of the hub lacks a right, or the hub's cluster lacks the kind.
      return status.state === 'forbidden' || status.state === 'not-found' ? 'read-with-own-requests' : 'continue';
    case 'unavailable':
    case 'behind':
    case 'slow':
      return 'continue';
  }
}

/** Passes batches on until the hub refuses the source, and then emits on `refused$` instead. */
function untilRefused(
  selectsName: boolean,
  isSignedOut$: Observable<boolean>,
  refused$: Subject<void>,
): OperatorFunction<WatchEventBatch<unknown>, WatchEventBatch<unknown>> {
  let hasContent = false;
  return mergeMap((batch) => {
    hasContent ||= batch.some(({ type }) => type === 'LISTED');
    const steps = batch.flatMap((event) =>
      event.type === 'STATUS' ? [nextStep(event.status, hasContent, selectsName)] : [],
    );
    if (steps.includes('read-with-own-requests')) {
      refused$.next();
      return EMPTY;
    }
    if (!steps.includes('check-session')) return of(batch);
    const checked = isSignedOut$.pipe(
      tap((isSignedOut) => {
        if (isSignedOut) refused$.next();
      }),
      ignoreElements(),
    );
    return concat(of(batch), checked);
  });
}
