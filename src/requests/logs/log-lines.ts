import {
  catchError,
  concat,
  connect,
  defer,
  EMPTY,
  filter,
  from,
  isObservable,
  map,
  mergeMap,
  type Observable,
  of,
  pairwise,
  repeat,
  startWith,
  takeUntil,
  tap,
  throwError,
  timeout,
  timer,
} from 'rxjs';
import type { KubernetesObject } from '../../kubernetes/object.js';
import { resourcePath } from '../../kubernetes/resource-path.js';
import { pods as podResource, type Pod } from '../../kubernetes/resources/everyday.js';
import { randomOf, requestJson, schedulerOf, type KubeClient } from '../../sources/client/kube-client.js';
import { exponentialBackoff } from '../../sources/model/backoff.js';
import { StatusError } from '../../sources/model/errors.js';
import { createLineSplitter } from '../../sources/reflector/line-splitter.js';
import { compareLogTimes, lineFilter, type LogPosition, parseLogLine } from './log-position.js';

/** A pod whose log is read: a `Pod`, or a part of one. */
export type LoggedPod = KubernetesObject & {
  readonly spec?: { readonly containers?: readonly { readonly name: string }[] | undefined } | undefined;
};

/** The log of one container. */
export interface LogSource {
  readonly pod: LoggedPod;
  /** The name of the container; `undefined` if the API server chooses the only one. */
  readonly container: string | undefined;
}

/** One line of a log. */
export interface LogLine extends LogSource {
  /** When it was written, as the kubelet states it: RFC 3339 with up to nine digits of a second. */
  readonly time: string | undefined;
  /** The line, without its time and its line break. */
  readonly text: string;
}

/** What happens with the log of one container. */
export interface LogStatus extends LogSource {
  /** `waiting`: it cannot be read now, and is tried again. `ended`: no more lines follow. */
  readonly state: 'open' | 'waiting' | 'ended';
  /** Why it cannot be read. */
  readonly error?: unknown;
}

/** Options of {@link logLines$}. */
export interface LogOptions {
  /** Default: all of `spec.containers`, or the only container if the pod has no `spec`. */
  readonly containers?: readonly string[] | undefined;
  /** Waits for new lines. Default true; false reads the lines that exist, and completes. */
  readonly follow?: boolean | undefined;
  /** Reads the log of the previous run of each container, which has ended. Default false. */
  readonly previous?: boolean | undefined;
  /** The first time of a line, as a `Date` or in RFC 3339. Default: the beginning of the log. */
  readonly since?: Date | string | undefined;
  /** The number of existing lines to read of each log, the last ones. Default: all. */
  readonly tail?: number | undefined;
  /**
   * Reads each log again after so many milliseconds, instead of keeping a request open: for a
   * browser that speaks HTTP/1.1, and has six connections. Default: none, a request stays open.
   */
  readonly pollInterval?: number | undefined;
  /**
   * Where each log continues, by log. Pass the same `new Map()` to several calls, so that each line
   * is emitted once over all of them: for a program that closes logs and opens them with other
   * options. The positions move with the lines. They are plain data, so a program can store them,
   * and continue after a restart. Default: each subscription begins at the beginning.
   */
  readonly positions?: Map<string, LogPosition> | undefined;
  /** Receives what happens with each log. With it, a log that may not be read only ends. */
  readonly onStatus?: ((status: LogStatus) => void) | undefined;
}

/** The logs whose positions are remembered, so that a pod that comes back continues. */
const maxPositions = 10_000;

/** Milliseconds after which the state of a pod counts as unknown. */
const stateTimeout = 30_000;

const backoff = exponentialBackoff({ initial: 1_000, cap: 15_000, jitter: 0.1 });

/**
 * Emits the lines of the logs of pods: the existing ones, then each new line.
 *
 * With an Observable of pods, such as a live query, the log of a pod is opened when the pod comes,
 * and closed when it leaves. A log whose stream ends, because its container restarts or the
 * connection breaks, is opened again, after 1 to 15 seconds while it has no new lines.
 *
 * **Guarantees**: lines are whole, and those of one container are in their order. Each line is
 * emitted once, over cuts and restarts, also if several lines have the same time. A pod that leaves
 * the Observable and comes back continues after its last line. The log of a pod that was deleted,
 * or has succeeded or failed, ends. Unsubscribing closes all requests (G8).
 * **Does not guarantee**: an order between containers; lines that the kubelet has rotated away, or
 * that a container wrote before the last but one restart, while nothing could be read; that a
 * connection is noticed that stays open and silent (`kubeClient` notices it over HTTP/2). After
 * 10,000 other logs, a pod that comes back is read from its beginning.
 *
 * **Errors**: a log that may not be read (401, 403) or whose pod does not exist (404, for one pod)
 * is an error, unless `onStatus` receives it. Everything else is tried again.
 *
 * @param client the connection to the API server
 * @param pods a pod, or an Observable of all pods whose logs are read
 * @param options which lines, of which containers; see {@link LogOptions}
 * @returns an Observable of lines; with one pod, it completes when no more lines follow
 * @example
 * import { informer, pods, type KubeClient } from 'rx-informers';
 * import { logLines$ } from 'rx-informers/requests';
 *
 * declare const client: KubeClient;
 *
 * const shop = informer(client, pods, { namespace: 'shop', labelSelector: 'app=web' });
 * logLines$(client, shop.list$(), { tail: 10 }).subscribe(({ pod, text }) => {
 *   console.log(`${pod.metadata?.name}: ${text}`);
 * });
 */
export function logLines$(
  client: KubeClient,
  pods: LoggedPod | Observable<readonly LoggedPod[]>,
  options: LogOptions = {},
): Observable<LogLine> {
  if (!isObservable(pods)) {
    return from(sourcesOf(pods, options)).pipe(
      mergeMap((source) => containerLog(client, source, options, { received: {} }, true)),
    );
  }
  return defer(() => {
    const { positions = new Map<string, LogPosition>() } = options;
    const sources$ = pods.pipe(map((each) => new Map(each.flatMap((pod) => keyedSources(pod, options)))));
    return followEach(sources$, (source, key) => {
      const position = positions.get(key) ?? { received: {} };
      positions.set(key, position);
      const [oldest = key] = positions.keys();
      if (positions.size > maxPositions) positions.delete(oldest);
      return containerLog(client, source, options, position, false);
    });
  });
}

function sourcesOf(pod: LoggedPod, { containers }: LogOptions): readonly LogSource[] {
  const names = containers ?? pod.spec?.containers?.map(({ name }) => name) ?? [undefined];
  return names.map((container) => ({ pod, container }));
}

function keyedSources(pod: LoggedPod, options: LogOptions): readonly (readonly [key: string, source: LogSource])[] {
  const { namespace = '', name = '', uid = `${namespace}/${name}` } = pod.metadata ?? {};
  return sourcesOf(pod, options).map((source) => [`${uid} ${source.container ?? ''}`, source]);
}

/** Merges the Observable of each key, from when the key appears until it is gone. */
function followEach<S, T>(
  current$: Observable<ReadonlyMap<string, S>>,
  open: (source: S, key: string) => Observable<T>,
): Observable<T> {
  return current$.pipe(
    connect((shared$) =>
      shared$.pipe(
        startWith(new Map<string, S>()),
        pairwise(),
        mergeMap(([before, now]) => [...now].filter(([key]) => !before.has(key))),
        mergeMap(([key, source]) => open(source, key).pipe(takeUntil(shared$.pipe(filter((now) => !now.has(key)))))),
      ),
    ),
  );
}

/** Emits the lines of one container. `position` is where it begins, and moves with the lines. */
function containerLog(
  client: KubeClient,
  source: LogSource,
  options: LogOptions,
  position: LogPosition,
  isOnlyPod: boolean,
): Observable<LogLine> {
  const { follow = true, previous = false, pollInterval, onStatus } = options;
  const isOnce = previous || !follow;
  return defer(() => {
    let hasOpened = false;
    let isOver = isOnce;
    let hasEnded = false;
    let withoutProgress = 0;
    const report = (state: LogStatus['state'], error?: unknown): void => onStatus?.({ ...source, state, error });
    const read = (query: LogQuery): Observable<LogLine> =>
      readLog(client, source, options, position, query, () => {
        if (query.previous !== previous) return;
        hasOpened = true;
        report('open');
      }).pipe(tap(() => (withoutProgress = 0)));
    const end = (error?: unknown): Observable<never> => {
      if (!hasEnded) report('ended', error);
      isOver = hasEnded = true;
      return error === undefined || onStatus ? EMPTY : throwError(() => error as Error);
    };

    const round = defer(() => {
      withoutProgress += 1;
      // While nothing was read, the pod may have ended, or its container may have restarted. Then
      // the last lines of the old container are in the log of the previous run.
      const missed =
        hasOpened && (pollInterval === undefined || withoutProgress > 1)
          ? podHasEnded(client, source).pipe(
              mergeMap((ended) => (ended ? end() : read({ previous: true }).pipe(catchError(ignoreBadRequest)))),
            )
          : EMPTY;
      const current = defer(() =>
        isOver && !isOnce ? EMPTY : read({ previous, follow: !isOnce && pollInterval === undefined }),
      );
      return concat(missed, current);
    }).pipe(
      catchError((error: unknown) => {
        const status = error instanceof StatusError ? error.statusCode : undefined;
        if (status === 404 && (hasOpened || !isOnlyPod)) return end();
        if (isOnce || status === 401 || status === 403 || status === 404) return end(error);
        report('waiting', error);
        return EMPTY;
      }),
    );
    return concat(
      round.pipe(
        repeat({
          delay: () =>
            isOver
              ? EMPTY
              : timer(pollInterval ?? backoff(Math.max(1, withoutProgress), randomOf(client)()), schedulerOf(client)),
        }),
      ),
      defer(() => (isOnce ? end() : EMPTY)),
    );
  });
}

interface LogQuery {
  readonly previous?: boolean;
  readonly follow?: boolean;
}

function readLog(
  client: KubeClient,
  source: LogSource,
  { since, tail }: LogOptions,
  position: LogPosition,
  { previous, follow }: LogQuery,
  onOpen: () => void,
): Observable<LogLine> {
  return defer(() => {
    const splitter = createLineSplitter();
    const decoder = new TextDecoder();
    const first = since === undefined ? undefined : new Date(since).toISOString();
    const { second } = position;
    const isNew = lineFilter(position, tail !== undefined);
    const answer$ = client.exchange({
      method: 'GET',
      path: podPath(source.pod, 'log'),
      query: {
        container: source.container,
        timestamps: true,
        follow: follow === true || undefined,
        previous: previous === true || undefined,
        tailLines: second === undefined ? tail : undefined,
        sinceTime: second ?? first?.replace(/\.\d+/, ''),
      },
      headers: { accept: 'text/plain, */*' },
    });
    const whole$ = answer$.pipe(
      mergeMap((part) => {
        if (part.type === 'bytes') return splitter.push(part.bytes);
        onOpen();
        return [];
      }),
    );
    const rest$ = defer(() => {
      const rest = splitter.end();
      return rest === undefined ? EMPTY : of(rest);
    });
    return concat(whole$, rest$).pipe(
      map((bytes) => parseLogLine(decoder.decode(bytes))),
      filter(({ time }) => time === undefined || first === undefined || compareLogTimes(time, first) >= 0),
      filter(({ time }) => isNew(time)),
      map((line): LogLine => ({ ...source, ...line })),
    );
  });
}

/** Emits whether the pod writes no more lines. Emits false if that cannot be read. */
function podHasEnded(client: KubeClient, { pod }: LogSource): Observable<boolean> {
  return requestJson<Pod>(client, podPath(pod)).pipe(
    timeout({ first: stateTimeout, scheduler: schedulerOf(client) }),
    map(({ metadata, status }) => {
      const isAnother = pod.metadata?.uid !== undefined && pod.metadata.uid !== metadata.uid;
      return isAnother || status?.phase === 'Succeeded' || status?.phase === 'Failed';
    }),
    catchError((error: unknown) => of(error instanceof StatusError && error.statusCode === 404)),
  );
}

/** The container has no previous run. */
function ignoreBadRequest(error: unknown): Observable<never> {
  return error instanceof StatusError && error.statusCode === 400 ? EMPTY : throwError(() => error);
}

function podPath({ metadata }: LoggedPod, subresource?: string): string {
  return resourcePath(podResource, { namespace: metadata?.namespace, name: metadata?.name, subresource });
}
