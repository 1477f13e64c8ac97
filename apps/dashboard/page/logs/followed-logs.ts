import type { KubeClient } from 'rx-informers';
import {
  auditTime,
  buffer,
  connect,
  defer,
  filter,
  Observable,
  scan,
  startWith,
  type SchedulerLike,
  type Subscription,
} from 'rxjs';
import { keyIn } from '../cluster/context-key.js';
import { followLog, LogProgress } from './follow-log.js';
import { followSelection, targetKey, type LogTarget, type SelectionEvent } from './follow-selection.js';
import { append, emptyRing, type LogRing, type LogRingLimits } from './log-ring.js';
import { timeKey } from './log-text.js';

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
  events: readonly SelectionEvent[],
  limits: LogRingLimits = ringLimits,
): FollowedLogs {
  const next = new Map(logs);
  for (const event of events) {
    const key = targetKey(event.target);
    if (event.type === 'left') next.delete(key);
    else if (event.type === 'waiting') next.set(key, { target: event.target, state: 'waiting', why: event.why });
    else if (event.type === 'end') next.set(key, { target: event.target, state: 'ended', why: event.why });
    else if (next.get(key)?.state !== 'open') next.set(key, { target: event.target, state: 'open', why: undefined });
  }
  const lines = events
    .flatMap((event) =>
      event.type === 'lines' ? event.lines.map((line) => ({ ...line, source: sourceOf(event.target) })) : [],
    )
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
export function sourceOf({ context, namespace, pod }: Pick<LogTarget, 'context' | 'namespace' | 'pod'>): string {
  return keyIn(context, `${namespace}/${pod}`);
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

/**
 * Follows the logs of changing targets. Emits their lines and states, at most ten times a second.
 *
 * @param clientOf returns the client for the pods of a context
 */
export function followedLogs(
  clientOf: (context: string | undefined) => KubeClient,
  target$: Observable<readonly LogTarget[]>,
  { tail, previous, scheduler }: FollowOptions,
): Observable<FollowedLogs> {
  const queues = new Map<string | undefined, KubeClient>();
  const polled = (context: string | undefined): KubeClient => {
    const queue = queues.get(context) ?? oneByOne(clientOf(context));
    queues.set(context, queue);
    return queue;
  };
  return defer(() => {
    const read = new Map<string, LogProgress>();
    return followSelection(target$, ({ context, uid, namespace, pod, container, mode }) => {
      // The lines of a target stay when it leaves. When it is opened again, or in another mode, its
      // log continues after them.
      const log = `${uid} ${container}`;
      const progress = read.get(log) ?? new LogProgress();
      read.set(log, progress);
      return followLog(
        mode === 'stream' ? clientOf(context) : polled(context),
        { namespace, pod, container, previous, tail, every: mode === 'poll' ? pollEvery : undefined },
        scheduler,
        progress,
      );
    });
  }).pipe(
    connect((event$) => event$.pipe(buffer(event$.pipe(auditTime(collectFor, scheduler))))),
    filter((events) => events.length > 0),
    scan((logs, events) => withEvents(logs, events), noLogs),
    startWith(noLogs),
  );
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
