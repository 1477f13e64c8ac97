import { pods, StatusError, type KubeClient } from 'rx-informers';
import { resourcePath } from 'rx-informers/client';
import {
  catchError,
  concat,
  defer,
  EMPTY,
  expand,
  of,
  tap,
  timer,
  type Observable,
  type SchedulerLike,
  map,
  mergeMap,
  endWith,
} from 'rxjs';
import { compareTimes, lineSplitter, timedText, type TimedText } from './log-text.js';

/** The log to read, and how much of it. */
export interface LogRequest {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** Whether to read the log of the previous container, which has ended. That log is read once. */
  readonly previous?: boolean | undefined;
  /** The number of existing lines to read. */
  readonly tail: number;
  /** Milliseconds between two reads; default: the log is followed as a stream. */
  readonly every?: number | undefined;
}

/** An event of a followed log. */
export type LogEvent =
  /** The API server has answered. */
  | { readonly type: 'open' }
  | { readonly type: 'lines'; readonly lines: readonly TimedText[] }
  /** The log cannot be read now. The read is retried. */
  | { readonly type: 'waiting'; readonly why: string }
  /** No more lines follow. */
  | { readonly type: 'end'; readonly why: string | undefined };

const shortestWait = 1000;
const maxWait = 15_000;

/**
 * Follows the log of one container: emits its existing lines, and then each new line.
 *
 * A stream ends when the container restarts or the connection breaks. It is opened again from the
 * time of its last line, and repeated lines are dropped. While no new lines come, the wait grows
 * from 1 s to 15 s.
 *
 * Ends after one read for `previous`, and if the log may not be read or the pod was deleted.
 *
 * @param from the position after which to continue; default: the beginning of the last lines
 */
export function followLog(
  client: KubeClient,
  request: LogRequest,
  scheduler?: SchedulerLike,
  from?: LogProgress,
): Observable<LogEvent> {
  return defer(() => {
    const progress = from ?? new LogProgress();
    let isFirst = true;

    /** Reads once. `tries` counts the reads in a row that returned no new line. */
    const read = (tries: number): Observable<Round> => {
      const before = progress.lines;
      const answer = exchangeOf(client, request, progress, isFirst);
      isFirst = false;
      if (request.previous === true) {
        return concat(answer, of<LogEvent>({ type: 'end', why: undefined })).pipe(
          catchError((error: unknown) => of<LogEvent>({ type: 'end', why: reasonOf(error) })),
          map((event): Round => ({ event })),
        );
      }
      return concat(
        answer.pipe(
          catchError((error: unknown) => of(eventOf(error))),
          map((event): Round => ({ event })),
        ),
        defer(() => of<Round>({ tries: progress.lines > before ? 0 : tries + 1 })),
      );
    };
    let isOver = false;
    return read(0).pipe(
      expand((round) =>
        'tries' in round && !isOver
          ? timer(waitOf(request, round.tries), scheduler).pipe(mergeMap(() => read(round.tries)))
          : EMPTY,
      ),
      mergeMap((round) => ('event' in round ? [round.event] : [])),
      tap(({ type }) => {
        if (type === 'end') isOver = true;
      }),
    );
  });
}

type Round = { readonly event: LogEvent } | { readonly tries: number };

function waitOf({ every }: LogRequest, tries: number): number {
  return every ?? Math.min(maxWait, shortestWait * 2 ** Math.min(10, Math.max(0, tries - 1)));
}

/** The position up to which a log has been read. */
export class LogProgress {
  lines = 0;
  /** The latest time of a line. `#ofLast` counts the lines with that time. */
  last: string | undefined;
  #ofLast = 0;
  /**
   * The number of lines to skip that have the latest time. The server repeats them, because a
   * request can name only whole seconds.
   */
  #known = 0;
  /**
   * Whether the server may still repeat lines. After the first new line of an answer, every line is
   * new, even with an earlier time: a runtime stamps the lines of stdout and stderr independently.
   */
  #isRepeating = false;

  /** Must be called before each request. */
  begin(): void {
    this.#known = this.#ofLast;
    this.#isRepeating = true;
  }

  isNew({ time }: TimedText): boolean {
    this.#isRepeating &&= time === undefined || this.#isKnown(time);
    if (this.#isRepeating && time !== undefined) return false;
    this.#count(time);
    return true;
  }

  #isKnown(time: string): boolean {
    const order = this.last === undefined ? 1 : compareTimes(time, this.last);
    if (order === 0) this.#known -= 1;
    return order < 0 || (order === 0 && this.#known >= 0);
  }

  #count(time: string | undefined): void {
    this.lines += 1;
    if (time === undefined) return;
    const order = this.last === undefined ? 1 : compareTimes(time, this.last);
    if (order >= 0) {
      this.#ofLast = order === 0 ? this.#ofLast + 1 : 1;
      this.last = time;
    }
  }
}

function exchangeOf(
  client: KubeClient,
  request: LogRequest,
  progress: LogProgress,
  isFirst: boolean,
): Observable<LogEvent> {
  const { namespace, pod, container, previous, tail, every } = request;
  return defer(() => {
    progress.begin();
    const splitter = lineSplitter();
    const linesOf = (lines: readonly string[]): readonly LogEvent[] => {
      const added = lines.map(timedText).filter((line) => progress.isNew(line));
      return added.length === 0 ? [] : [{ type: 'lines', lines: added }];
    };
    const exchange = client.exchange({
      method: 'GET',
      path: resourcePath(pods, { namespace, name: pod, subresource: 'log' }),
      query: {
        container,
        timestamps: true,
        follow: previous === true || every !== undefined ? undefined : true,
        previous: previous === true ? true : undefined,
        tailLines: isFirst || progress.last === undefined ? tail : undefined,
        sinceTime: progress.last === undefined ? undefined : toSecond(progress.last),
      },
      headers: { accept: 'text/plain, */*' },
    });
    return exchange.pipe(
      mergeMap((part): readonly LogEvent[] =>
        part.type === 'head' ? [{ type: 'open' }] : linesOf(splitter.push(part.bytes)),
      ),
      endWith(undefined),
      mergeMap((event) => (event === undefined ? linesOf(splitter.end()) : [event])),
    );
  });
}

/** Returns a time in whole seconds, because `sinceTime` has no fractions. */
function toSecond(time: string): string {
  return time.replace(/\.\d+/, '');
}

function eventOf(error: unknown): LogEvent {
  const isFinal = error instanceof StatusError && [401, 403, 404].includes(error.statusCode);
  return { type: isFinal ? 'end' : 'waiting', why: reasonOf(error) };
}

function reasonOf(error: unknown): string {
  const why = error instanceof Error ? error.message : String(error);
  return error instanceof StatusError ? (error.status.message ?? why) : why;
}
