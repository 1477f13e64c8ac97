import { StatusError, type KubeClient } from 'rx-informers';
import { logLines$, type LoggedPod, type LogLine, type LogPosition, type LogStatus } from 'rx-informers/requests';
import {
  auditTime,
  buffer,
  connect,
  defer,
  distinct,
  filter,
  map,
  merge,
  mergeMap,
  Observable,
  scan,
  shareReplay,
  startWith,
  type SchedulerLike,
  type Subscription,
} from 'rxjs';
import { append, emptyRing, type LogRing, type LogRingLimits } from './log-ring.js';
import { targetKey, type LogTarget } from './log-targets.js';
import { shownText, timeKey } from './log-text.js';

type LogEvent = LogLine | LogStatus;

/** The pod of a target, as far as its log is read. */
interface PodOfTarget extends LoggedPod {
  readonly target: LogTarget;
}

/** The state of one log. */
export interface FollowedLog {
  readonly target: LogTarget;
  readonly state: 'open' | 'waiting' | 'ended';
  /** The message of the API server if the log cannot be read. */
  readonly why: string | undefined;
}

/**
 * The logs of a selection: their last lines together in order of arrival, and the state of each
 * log.
 */
export interface FollowedLogs {
  readonly ring: LogRing;
  /** The state of each log, by `targetKey`. */
  readonly logs: ReadonlyMap<string, FollowedLog>;
}

export const noLogs: FollowedLogs = { ring: emptyRing, logs: new Map() };

/** Limits the lines to about 20 MB of memory. */
export const ringLimits: LogRingLimits = { lines: 10_000, size: 8_000_000 };

/**
 * Adds events to the logs. Sorts lines that arrive together by their times, not by the arrival of
 * their streams.
 */
export function withEvents(
  { ring, logs }: FollowedLogs,
  events: readonly (LogEvent | { readonly targets: readonly LogTarget[] })[],
  limits: LogRingLimits = ringLimits,
): FollowedLogs {
  const next = new Map(logs);
  for (const event of events) {
    if ('targets' in event) {
      const keys = new Set(event.targets.map(targetKey));
      for (const key of next.keys()) if (!keys.has(key)) next.delete(key);
    } else {
      const { target } = event.pod as PodOfTarget;
      const { state = 'open', error } = 'state' in event ? event : {};
      next.set(targetKey(target), { target, state, why: error === undefined ? undefined : reasonOf(error) });
    }
  }
  const lines = events
    .flatMap((event) => {
      if (!('text' in event)) return [];
      const source = sourceOf((event.pod as PodOfTarget).target);
      return [{ time: event.time, text: shownText(event.text), source }];
    })
    .slice(-limits.lines);
  // The sort is stable, so lines of one stream keep their order.
  if (new Set(lines.map(({ source }) => source)).size > 1) {
    const keys = new Map(lines.map((line) => [line, timeKey(line.time ?? '')]));
    const keyOf = (line: (typeof lines)[number]): string => keys.get(line) ?? '';
    lines.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : keyOf(a) > keyOf(b) ? 1 : 0));
  }
  return { ring: append(ring, lines, limits), logs: next };
}

/**
 * Returns the source of a line, which determines its colour and its name. It is the key of the pod,
 * for streamed and for polled logs.
 */
export function sourceOf({ namespace, pod }: Pick<LogTarget, 'namespace' | 'pod'>): string {
  return `${namespace}/${pod}`;
}

export interface FollowOptions {
  readonly tail: number;
  readonly previous: boolean;
  readonly scheduler?: SchedulerLike | undefined;
}

/** Milliseconds between two reads of a log that has no stream of its own. */
const pollEvery = 2000;
/** Milliseconds for which events are collected. The page need not draw lines more often. */
const collectFor = 100;

/** Follows the logs of changing targets. Emits their lines and states, at most ten times a second. */
export function followedLogs(
  client: KubeClient,
  target$: Observable<readonly LogTarget[]>,
  { tail, previous, scheduler }: FollowOptions,
): Observable<FollowedLogs> {
  return defer(() => {
    // The lines of a target stay when it leaves. When it is opened again, or in another mode, its
    // log continues after them.
    const positions = new Map<string, LogPosition>();
    const current$ = target$.pipe(shareReplay({ bufferSize: 1, refCount: true }));
    const log$ = current$.pipe(
      mergeMap((targets) => targets),
      map(({ mode }) => mode),
      distinct(),
      mergeMap((mode) => {
        const isPolled = mode === 'poll';
        const pods$ = current$.pipe(map((targets) => targets.filter((each) => each.mode === mode).map(podOf)));
        const options = { tail, previous, positions, pollInterval: isPolled ? pollEvery : undefined };
        return withStatus((onStatus) =>
          logLines$(isPolled ? oneByOne(client) : client, pods$, { ...options, onStatus }),
        );
      }),
    );
    return merge(log$, current$.pipe(map((targets) => ({ targets }))));
  }).pipe(
    connect((event$) => event$.pipe(buffer(event$.pipe(auditTime(collectFor, scheduler))))),
    filter((events) => events.length > 0),
    scan((logs, events) => withEvents(logs, events), noLogs),
    startWith(noLogs),
  );
}

function podOf(target: LogTarget): PodOfTarget {
  const { uid, namespace, pod: name, container } = target;
  return { metadata: { uid, namespace, name }, spec: { containers: [{ name: container }] }, target };
}

function withStatus(follow: (onStatus: (status: LogStatus) => void) => Observable<LogLine>): Observable<LogEvent> {
  return new Observable((subscriber) =>
    follow((status) => {
      subscriber.next(status);
    }).subscribe(subscriber),
  );
}

function reasonOf(error: unknown): string {
  const why = error instanceof Error ? error.message : String(error);
  return error instanceof StatusError ? (error.status.message ?? why) : why;
}

/**
 * Returns a client that sends a request only after the previous one was answered. It needs one
 * connection.
 */
export function oneByOne(client: KubeClient): KubeClient {
  const waiting = new Set<() => void>();
  let isBusy = false;
  const next = (): void => {
    const [send] = waiting;
    isBusy = send !== undefined;
    if (!send) return;
    waiting.delete(send);
    send();
  };
  return {
    ...client,
    exchange: (request) =>
      new Observable((subscriber) => {
        let exchange: Subscription | undefined;
        const send = (): void => {
          exchange = client.exchange(request).subscribe(subscriber);
          exchange.add(next);
        };
        waiting.add(send);
        if (!isBusy) next();
        return () => {
          waiting.delete(send);
          exchange?.unsubscribe();
        };
      }),
  };
}
