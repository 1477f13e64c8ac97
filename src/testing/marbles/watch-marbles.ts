import {
  asyncScheduler,
  concat,
  defer,
  EMPTY,
  map,
  merge,
  mergeMap,
  NEVER,
  of,
  throwError,
  timer,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import type { KubernetesObject } from '../../kubernetes/object.js';
import type { SourceStatus } from '../../sources/source-status.js';
import type { WatchEvent, WatchEventBatch } from '../../sources/watch-event.js';
import { compileWatchMarbles, type WatchStep } from './compile-watch-marbles.js';
import type { MarbleObjects } from './marble-objects.js';

export interface WatchMarblesOptions {
  /** What `#` fails with; default an `Error`. */
  readonly error?: unknown;
  /** Default `asyncScheduler`, which inside rxjs's `TestScheduler.run` is virtual time; outside, a frame is a millisecond. */
  readonly scheduler?: SchedulerLike | undefined;
}

/**
 * A source that does what a marble diagram says.
 *
 * | written | emitted |
 * | --- | --- |
 * | `L(ab)` `L()` | `LISTED` of `a` and `b`, of nothing |
 * | `A(a)` `M(a)` `D(a)` | `ADDED`, `MODIFIED`, `DELETED`; with several names that many events, in one batch |
 * | `[D(a)A(b)B]` | one batch of all of it |
 * | `B` | `BOOKMARK` |
 * | `410` `403` `429` `500` … | `ERROR` with a `StatusError` of that code and the reason that goes with it |
 * | `X` | `ERROR` with a `ConnectionError`: the connection was reset |
 * | `S(w)` | `STATUS`: l listing, w watching, r reconnecting, b backing-off, f forbidden, n not-found, s stopped |
 * | `\|` `#` | completion; the source itself fails |
 * | `-`, space, ` 5s ` | a frame, nothing, that much time (`ms`, `s`, `m`, with a space before and after) |
 *
 * One character is one frame, as in rxjs: a token happens in the frame of its first character and takes as many frames as it
 * has characters, so what stands in one column happens at the same time. Without a comma each letter in parentheses is a
 * name; `(web-1,db)` and `(web-1,)` are long names. `a'` is `a` created again, with another uid. Each event makes the next
 * resourceVersion; a list has every object as it last was, or changed unseen where a `*` follows: `L(a*b)`.
 *
 * **Guarantees**: cold; every subscriber sees the same objects, also by identity, at times counted from its own subscription.
 * **Errors**: throws `MarbleSyntaxError` at once, with the column, for what cannot be read and for names without an object.
 *
 * @example
 * import { aPod, watchMarbles } from 'rx-informers/testing';
 *
 * const a = aPod({ name: 'a', node: 'worker-1' });
 * const b = aPod({ name: 'b', node: 'worker-1' });
 * const source = watchMarbles('L(a)--A(b)-M(a)-410-L(b)|', { a, b });
 */
export function watchMarbles<T extends KubernetesObject>(
  diagram: string,
  objects: MarbleObjects<T>,
  options: WatchMarblesOptions = {},
): Observable<WatchEventBatch<T>> {
  const { error = new Error('the source failed, as its diagram says'), scheduler = asyncScheduler } = options;
  const steps = compileWatchMarbles(diagram, objects);
  return defer(() => {
    const start = scheduler.now();
    const stream = merge(
      ...steps.map((step) =>
        timer(step.frame, scheduler).pipe(
          mergeMap(() =>
            step.end === 'error'
              ? concat(
                  batchOf(step),
                  throwError(() => error),
                )
              : batchOf(step),
          ),
        ),
      ),
    ).pipe(map((batch) => batch.map((event) => startedAt(event, start))));
    return steps.at(-1)?.end === undefined ? concat(stream, NEVER) : stream;
  });
}

function batchOf<T>({ batch }: WatchStep<T>): Observable<WatchEventBatch<T>> {
  return batch.length === 0 ? EMPTY : of(batch);
}

/** Frames count from the subscription, the times in a status from the epoch. */
function startedAt<T>(event: WatchEvent<T>, start: number): WatchEvent<T> {
  return event.type === 'STATUS' ? { ...event, status: shifted(event.status, start) } : event;
}

function shifted(status: SourceStatus, start: number): SourceStatus {
  switch (status.state) {
    case 'watching':
      return { ...status, since: status.since + start };
    case 'backing-off':
    case 'forbidden':
    case 'not-found':
      return { ...status, until: status.until + start };
    default:
      return status;
  }
}
