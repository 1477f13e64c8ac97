import {
  asyncScheduler,
  defer,
  EMPTY,
  filter,
  fromEvent,
  interval,
  map,
  merge,
  of,
  share,
  startWith,
  switchMap,
  type Observable,
  type SchedulerLike,
} from 'rxjs';

/** The reason why connections may have died unnoticed. */
export type WakeReason = 'online' | 'restored' | 'shown' | 'slept';

/** The part of a window, or of the global scope of a worker, that `browserWake$` reads. */
export interface WakeTarget {
  /** The document of the page; `undefined` in a worker. */
  readonly document?: (Omit<WakeTarget, 'document'> & { readonly visibilityState: string }) | undefined;
  addEventListener(type: string, listener: (event: unknown) => void): void;
  removeEventListener(type: string, listener: (event: unknown) => void): void;
}

type WakeDocument = NonNullable<WakeTarget['document']>;

/** Options of `browserWake$`. */
export interface BrowserWakeOptions {
  /** Default: the global scope. In Node, nothing is emitted: it has no such events. */
  readonly target?: WakeTarget | undefined;
  /** Must show the time of day: others stop while a machine sleeps. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike | undefined;
}

/** Milliseconds hidden after which showing a tab emits `shown`. */
const hiddenLong = 60_000;

/** Milliseconds between checks: rare enough to cost nothing, and short sleeps are noticed. */
const lookEvery = 5_000;

/** A check that is this many ms late means sleep; a busy page is less late. */
const sleepAfter = 10_000;

/**
 * Emits when the connections of a page may have died unnoticed. Pass it as the option `wakeOn`.
 *
 * | emitted | when |
 * | --- | --- |
 * | `online` | the browser has a network again |
 * | `restored` | the page comes back from the back/forward cache |
 * | `shown` | the tab is shown after it was hidden for a minute |
 * | `slept` | a timer is more than ten seconds late in a tab that is not hidden, or in a worker: the machine slept |
 *
 * A hidden tab has no timer, because browsers delay the timers of hidden tabs. In Node nothing is
 * emitted, and the stream completes at once.
 *
 * **Guarantees**: all subscribers share three listeners and one timer, which are removed with the
 * last subscriber. **Does not guarantee**: that a connection is really dead. Setting the clock
 * forward looks like sleep.
 *
 * @param options the clock, and the target of the events
 * @returns a stream of reasons
 * @example
 * import { fetchClient, informerRegistry } from 'rx-informers';
 * import { browserWake$ } from 'rx-informers/views';
 *
 * const registry = informerRegistry(fetchClient({ baseUrl: '/k8s' }), { wakeOn: browserWake$() });
 */
export function browserWake$(options: BrowserWakeOptions = {}): Observable<WakeReason> {
  const { scheduler = asyncScheduler } = options;
  return defer(() => {
    const target = options.target ?? globalThis;
    if (!isWakeTarget(target)) return EMPTY;
    return merge(
      fromEvent(target, 'online').pipe(map((): WakeReason => 'online')),
      fromEvent<{ readonly persisted?: boolean }>(target, 'pageshow').pipe(
        filter(({ persisted }) => persisted === true),
        map((): WakeReason => 'restored'),
      ),
      target.document === undefined ? sleep$(scheduler) : whileShown$(target.document, scheduler),
    );
  }).pipe(share());
}

function isWakeTarget(target: Partial<WakeTarget>): target is WakeTarget {
  return typeof target.addEventListener === 'function';
}

/** Emits after the document was hidden for long, and after the machine slept while it was shown. */
function whileShown$(document: WakeDocument, scheduler: SchedulerLike): Observable<WakeReason> {
  return defer(() => {
    let hiddenAt: number | undefined;
    return fromEvent(document, 'visibilitychange').pipe(
      startWith(undefined),
      switchMap(() => {
        if (document.visibilityState === 'hidden') {
          hiddenAt ??= scheduler.now();
          return EMPTY;
        }
        const wasHiddenLong = hiddenAt !== undefined && scheduler.now() - hiddenAt >= hiddenLong;
        hiddenAt = undefined;
        return wasHiddenLong ? merge(of<WakeReason>('shown'), sleep$(scheduler)) : sleep$(scheduler);
      }),
    );
  });
}

function sleep$(scheduler: SchedulerLike): Observable<WakeReason> {
  return defer(() => {
    let lookedAt = scheduler.now();
    return interval(lookEvery, scheduler).pipe(
      map(() => {
        const before = lookedAt;
        lookedAt = scheduler.now();
        return lookedAt - before - lookEvery;
      }),
      filter((late) => late > sleepAfter),
      map((): WakeReason => 'slept'),
    );
  });
}
