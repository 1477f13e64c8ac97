import { firstValueFrom, Observable } from 'rxjs';
import { CallSite, checkLater, development } from '../../kubernetes/development.js';
import { onAbort } from '../../scheduling/on-abort.js';

/**
 * A request to the API server. It is sent each time the call is subscribed to or awaited, and emits
 * one response.
 *
 * As an Observable, it composes with operators and runs in virtual time. As a thenable, it can be
 * awaited in an `async` function; `then`, `catch` and `finally` send the request at once and return
 * a promise.
 *
 * **Guarantees**: Nothing is sent before the call is subscribed to or awaited. Unsubscribing aborts
 * the request. Aborting the `signal` that was passed to the call does the same.
 *
 * **Does not guarantee**: that an aborted write did not happen. The server may have carried it out
 * already.
 *
 * In development, a warning is printed if nothing is called on a call for five seconds, or until
 * Node exits, and if a call that was piped is garbage-collected before it was sent. In Node it is a
 * process warning, in a browser a line in the console. It is printed once for each place in the
 * code. A place that has sent other calls is not reported. `docs/how-to/writing.md` has a lint rule
 * that finds unsent calls earlier.
 *
 * @example
 * import { configMaps, type KubeClient } from 'rx-informers';
 * import { ignoreNotFound, resourceClient } from 'rx-informers/requests';
 *
 * declare const client: KubeClient;
 *
 * const settings = await resourceClient(client, configMaps)
 *   .get('web/settings')
 *   .catch(ignoreNotFound);
 */
export class ApiCall<T> extends Observable<T> implements PromiseLike<T> {
  /** Sends the request, as `await` does. Behaves like `Promise.prototype.then` of the response. */
  then<Fulfilled = T, Rejected = never>(
    onFulfilled?: ((value: T) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((error: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    return firstValueFrom(this).then(onFulfilled, onRejected);
  }

  /** Sends the request. Behaves like `Promise.prototype.catch` of the response. */
  catch<Rejected = never>(
    onRejected?: ((error: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<T | Rejected> {
    return firstValueFrom(this).catch(onRejected);
  }

  /** Sends the request. Behaves like `Promise.prototype.finally` of the response. */
  finally(onFinally?: (() => void) | null): Promise<T> {
    return firstValueFrom(this).finally(onFinally);
  }
}

/**
 * Mirrors an Observable with one value. Errors with the reason of `signal` when it is aborted.
 *
 * @param describe returns the verb and the object, for the report of a call that is never sent
 */
export function apiCall<T>(
  call$: Observable<T>,
  signal?: AbortSignal,
  describe = (): string => 'a request to the API server',
): ApiCall<T> {
  const answer$ = untilAborted(call$, signal);
  // The form of `isDevelopment` that a bundler can evaluate: see there.
  try {
    if (process.env.NODE_ENV !== 'production') throw development;
  } catch {
    return reportedCall(answer$, describe);
  }
  return new ApiCall((subscriber) => answer$.subscribe(subscriber));
}

/** Returns a call that is reported if it is never sent. */
function reportedCall<T>(answer$: Observable<T>, describe: () => string): ApiCall<T> {
  const made: MadeCall = { site: new CallSite(), describe, used: () => undefined };
  const call = new ApiCall<T>((subscriber) => {
    callIsSent(made);
    return answer$.subscribe(subscriber);
  });
  warnIfUnsent(call, made);
  return call;
}

/** Mirrors `source$`. If `signal` is aborted, errors with the reason of the signal. */
export function untilAborted<T>(source$: Observable<T>, signal: AbortSignal | undefined): Observable<T> {
  if (signal === undefined) return source$;
  return new Observable((subscriber) => {
    const abortion = onAbort(signal, () => subscriber.error(signal.reason));
    if (subscriber.closed) return undefined;
    subscriber.add(abortion);
    return source$.subscribe(subscriber);
  });
}

/** A call of development. `site` is removed when the call is sent. */
interface MadeCall {
  site: CallSite | undefined;
  readonly describe: () => string;
  /** Ends the wait after which a call is reported on which nothing was called. */
  used: () => void;
}

/**
 * Prints a warning, once for each place in the code, if a call was not sent: if nothing was called
 * on it for some seconds or until the exit, or if it is collected after it was piped. Not for a
 * place that has sent others: there it may be on purpose, for example after a failed call in
 * `concat`.
 *
 * @param call the call; it must not be reachable from `made`, or it is never garbage-collected
 */
function warnIfUnsent(call: ApiCall<unknown>, made: MadeCall): void {
  made.used = checkLater(() => warn(made), 5);
  Object.defineProperty(call, 'pipe', {
    // `this`, because a closure over `call` would keep it reachable from the check above.
    value(this: unknown, ...operations: unknown[]) {
      made.used();
      const { prototype } = ApiCall as {
        readonly prototype: { readonly pipe: (...of: readonly unknown[]) => unknown };
      };
      return prototype.pipe.apply(this, operations);
    },
  });
  if (typeof FinalizationRegistry === 'undefined') return;
  registry ??= new FinalizationRegistry(warn);
  registry.register(call, made);
}

/** Records that a call is sent, so that the place where it was made is not reported. */
function callIsSent(made: MadeCall): void {
  if (made.site === undefined) return;
  made.used();
  sentSites[sent++ % maxSentSites] = made.site;
  made.site = undefined;
}

let registry: FinalizationRegistry<MadeCall> | undefined;

/** Where the last sent calls were made, as a ring; their stacks are not formatted. */
const sentSites: CallSite[] = [];
const maxSentSites = 128;
let sent = 0;

/** Places that have sent a call, or were reported already. */
const settledPlaces = /*#__PURE__*/ new Set<string>();
/** The maximum number of remembered places. When it is reached, nothing is reported any more. */
const maxPlaces = 1000;

function warn({ site, describe }: MadeCall): void {
  if (site === undefined || settledPlaces.size >= maxPlaces) return;
  const { place } = site;
  if (settledPlaces.has(place)) return;
  for (const sentSite of sentSites.splice(0)) settledPlaces.add(sentSite.place);
  sent = 0;
  if (settledPlaces.has(place)) return;
  settledPlaces.add(place);
  print(
    `${describe()} was never sent, because its ApiCall was neither awaited nor subscribed to; await it, or make it inside defer() if it is not always needed. The call was made ${place}. This is reported once for each place, in development only.`,
  );
}

/**
 * Prints a process warning, or in a browser a line in the console: in Node garbage is often
 * collected late, and jest fails if something is printed to its console after the tests.
 */
function print(text: string): void {
  const host = globalThis as { readonly process?: { emitWarning?(text: string, name: string): void } };
  if (typeof host.process?.emitWarning === 'function') host.process.emitWarning(text, 'UnsentApiCallWarning');
  else console.warn(text);
}
