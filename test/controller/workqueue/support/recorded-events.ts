import {
  fastSlow,
  type RateLimiter,
  type QueueInput,
  type WorkqueueEvent,
  type WorkqueueOptions,
  workqueue,
} from 'rx-informers/controller';
import { informerTest } from 'rx-informers/testing';
import { throwError, timer, type Observable } from 'rxjs';
import type { RunHelpers } from 'rxjs/testing';

/** Returns an event as a sentence: `a started`, `a emitted 1`, `a failed, retry at 15`. */
export function word(event: WorkqueueEvent): string {
  switch (event.type) {
    case 'started':
      return `${event.key} started`;
    case 'emitted':
      return `${event.key} emitted ${String(event.value)}`;
    case 'succeeded':
      return `${event.key} succeeded${event.requeueAt === undefined ? '' : `, again at ${event.requeueAt}`}`;
    case 'skipped':
      return `${event.key} skipped: ${event.because}`;
    case 'failed':
      return `${event.key} failed${event.retryAt === undefined ? `: ${event.outcome}` : `, retry at ${event.retryAt}`}`;
    case 'held':
    case 'released':
      return `${event.key} ${event.type} ${event.because} ${event.heldFor}`;
    case 'dropped':
      return `${event.key} dropped`;
    case 'hook-failed':
      return `${event.hook} failed`;
    case 'refused':
      return 'refused';
    default:
      return event satisfies never;
  }
}

/** Returns all events until `until`, each with its time: `0 a started`. */
export function received(
  project: (key: string, at: () => number) => unknown,
  inputs: (helpers: RunHelpers) => Observable<QueueInput>,
  { until = 100, random = () => 0, ...options }: WorkqueueOptions & { readonly until?: number } = {},
): readonly string[] {
  const lines: string[] = [];
  informerTest((helpers) => {
    const at = (): number => helpers.scheduler.now();
    const line = (text: string): void => void lines.push(`${at()} ${text}`);
    const events$ = inputs(helpers).pipe(workqueue((key) => project(key, at), { random, ...options }));
    const subscription = events$.subscribe({
      next: (event) => {
        line(word(event));
      },
      error: (error: unknown) => {
        line(`error ${String(error)}`);
      },
      complete: () => {
        line('complete');
      },
    });
    timer(until).subscribe(() => {
      subscription.unsubscribe();
    });
  });
  return lines;
}

/** Returns a rate limiter that waits the same time after each failure. */
export const steady = (wait: number) => (): RateLimiter => fastSlow({ fast: wait, slow: wait, fastAttempts: 0 });
export const fail = (error: unknown): Observable<never> => throwError(() => error);
