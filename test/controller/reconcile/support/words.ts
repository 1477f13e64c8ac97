import type { ReconcileEvent, ReconcileReason } from 'rx-informers/controller';
import type { Observable, SchedulerLike, Subscription } from 'rxjs';
import { word as queueWord } from '../../workqueue/support/recorded-events.js';

/** Returns an event as a sentence: `a started`, `a emitted 1`, `a failed, retry at 15`. */
export function word(event: ReconcileEvent): string {
  switch (event.type) {
    case 'trigger-failed':
      return `${event.trigger} ${event.key ?? ''} ${event.outcome}`;
    case 'stopping':
      return `stopping ${event.cause}`;
    case 'stopped':
      return `stopped after ${event.took}: ${event.aborted} aborted, ${event.dropped} dropped`;
    case 'waiting':
      return `${event.trigger} waiting: ${event.reason}`;
    case 'recovered':
      return `${event.trigger} recovered`;
    case 'sync-timeout':
      return `sync-timeout: ${event.reasons.join(', ')}`;
    case 'synced':
      return 'synced';
    case 'held':
    case 'released':
      return [
        `${event.key} ${event.type} ${event.because} ${event.heldFor}`,
        ...(event.because === 'unobserved'
          ? event.writes.map(({ verb, resource, object, trigger }) => `${verb} ${resource} ${object} in ${trigger}`)
          : []),
      ].join(': ');
    default:
      return queueWord(event);
  }
}

export function reasonWord(reason: ReconcileReason): string {
  switch (reason.type) {
    case 'primary':
      return `primary ${reason.change} ${reason.because}`;
    case 'owned':
    case 'watched':
      return `${reason.type} ${reason.kind ?? ''} ${reason.key} ${reason.change} ${reason.because}`;
    case 'external':
      return `external ${reason.trigger}`;
    case 'requeue':
      return 'requeue';
    case 'retry':
      return `retry ${reason.failures}`;
    default:
      return reason satisfies never;
  }
}

/**
 * The events of a controller as words. If the controller has ended, the last word is `complete` or
 * an error.
 */
export interface Received {
  readonly events: readonly ReconcileEvent[];
  readonly words: readonly string[];
  readonly subscription: Subscription;
  /** Returns the words since the last call. */
  news(): readonly string[];
}

export function notify(events$: Observable<ReconcileEvent>, clock?: SchedulerLike): Received {
  const events: ReconcileEvent[] = [];
  const words: string[] = [];
  const say = (text: string): void => void words.push(clock ? `${clock.now()} ${text}` : text);
  const subscription = events$.subscribe({
    next: (event) => {
      events.push(event);
      say(word(event));
    },
    error: (error: unknown) => {
      say(`error ${String(error)}`);
    },
    complete: () => {
      say('complete');
    },
  });
  let received = 0;
  const news = (): readonly string[] => {
    const from = received;
    received = words.length;
    return words.slice(from);
  };
  return { events, words, subscription, news };
}
