import { firstValueFrom, Observable } from 'rxjs';
import { onAbort } from '../../operators/on-abort.js';
import { isDevelopment } from '../../store/freeze.js';

/**
 * A request to the API server. It is sent again each time it is subscribed to or awaited, and has one answer.
 *
 * As an Observable it composes with operators and runs in virtual time. As a thenable it is awaited in an `async` function; `then`, `catch`
 * and `finally` send it at once and return a promise.
 *
 * **Guarantees**: nothing is sent before the call is subscribed to or awaited; unsubscribing, or aborting the `signal` that the call was
 * given, aborts the request. In development, a call that is garbage-collected before it was sent is reported as a warning of the process
 * (in a browser, of the console), once for each place that sends none of its calls; `docs/writing.md` has a lint rule that finds it earlier.
 * **Does not guarantee**: that an aborted write did not happen; the server may have carried it out already.
 *
 * @example
 * import { configMaps, type KubeClient } from 'rx-informers';
 * import { ignoreNotFound, resourceClient } from 'rx-informers/controller';
 *
 * declare const client: KubeClient;
 *
 * const settings = await resourceClient(client, configMaps).get('web/settings').catch(ignoreNotFound);
 */
export class ApiCall<T> extends Observable<T> implements PromiseLike<T> {
  /** Sends the request, as `await` does; `Promise.prototype.then` of its answer. */
  then<Fulfilled = T, Rejected = never>(
    onFulfilled?: ((value: T) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((error: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    return firstValueFrom(this).then(onFulfilled, onRejected);
  }

  /** Sends the request; `Promise.prototype.catch` of its answer. */
  catch<Rejected = never>(
    onRejected?: ((error: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<T | Rejected> {
    return firstValueFrom(this).catch(onRejected);
  }

  /** Sends the request; `Promise.prototype.finally` of its answer. */
  finally(onFinally?: (() => void) | null): Promise<T> {
    return firstValueFrom(this).finally(onFinally);
  }
}

/** Makes a call of an Observable with one value; a signal that is aborted ends it with the signal's reason. */
export function apiCall<T>(call$: Observable<T>, signal?: AbortSignal): ApiCall<T> {
  const answer$ = untilAborted(call$, signal);
  const made = madeCall();
  if (made === undefined) return new ApiCall((subscriber) => answer$.subscribe(subscriber));
  const call = new ApiCall<T>((subscriber) => {
    callIsSent(made);
    return answer$.subscribe(subscriber);
  });
  warnIfUnsent(call, made);
  return call;
}

/** Mirrors `source$`, and errors with the reason of the signal when that is aborted. */
export function untilAborted<T>(source$: Observable<T>, signal: AbortSignal | undefined): Observable<T> {
  if (signal === undefined) return source$;
  return new Observable((subscriber) => {
    const abortion = onAbort(signal, () => {
      subscriber.error(signal.reason);
    });
    if (subscriber.closed) return undefined;
    subscriber.add(abortion);
    return source$.subscribe(subscriber);
  });
}

/** Where a call was made; `site` is dropped when the call is sent. */
interface MadeCall {
  site: Error | undefined;
}

/**
 * Remembers where a call is made, to be given to `warnIfUnsent`; returns `undefined` in production.
 *
 * The stack trace is formatted only if a warning may be printed.
 */
export function madeCall(): MadeCall | undefined {
  return isDevelopment() && typeof FinalizationRegistry !== 'undefined' ? { site: new Error() } : undefined;
}

/**
 * Warns once for each place in a program if a call that was made there is garbage-collected before it was sent.
 *
 * A place that is known to send its calls at other times is not reported: a call behind another one that failed, for
 * example in `concat`, is never sent, and nothing was forgotten.
 *
 * @param call must not be reachable from `made`, or it is never collected
 */
export function warnIfUnsent(call: object, made: MadeCall): void {
  registry ??= new FinalizationRegistry(warn);
  registry.register(call, made);
}

/** Notes that a call is sent: there is nothing to report about the place where it was made. */
export function callIsSent(made: MadeCall): void {
  if (made.site === undefined) return;
  sentSites[sent++ % mostSentSites] = made.site;
  made.site = undefined;
}

let registry: FinalizationRegistry<MadeCall> | undefined;

/** Where the last sent calls were made, as a ring; their stacks are not formatted. */
const sentSites: Error[] = [];
const mostSentSites = 128;
let sent = 0;

/** Places that are not reported, or not again. */
const settledPlaces = /*#__PURE__*/ new Set<string>();
/** So many places are remembered; after that nothing is reported. */
const mostPlaces = 1000;

function warn({ site }: MadeCall): void {
  if (site === undefined || settledPlaces.size >= mostPlaces) return;
  const place = placeOf(site);
  if (settledPlaces.has(place)) return;
  for (const sentSite of sentSites.splice(0)) settledPlaces.add(placeOf(sentSite));
  sent = 0;
  if (settledPlaces.has(place)) return;
  settledPlaces.add(place);
  print(
    `A request to the API server was never sent, because its ApiCall was neither awaited nor subscribed to; await it, or make it inside defer() if it is not always needed. The call was made ${place}. This is reported once for each place, in development only.`,
  );
}

/**
 * Prints a warning of the process, or in a browser of the console.
 *
 * Garbage is often collected late. The console of jest makes the whole run fail if something is printed after the tests.
 */
function print(text: string): void {
  const host = globalThis as { readonly process?: { emitWarning?(text: string, name: string): void } };
  if (typeof host.process?.emitWarning === 'function') host.process.emitWarning(text, 'UnsentApiCallWarning');
  else console.warn(text);
}

/** Returns the line of a stack that leads out of this library; if that is bundled with its callers, all lines. */
function placeOf({ stack = '' }: Error): string {
  const [own = '', ...callers] = stack.split('\n').filter((line) => isFrame.test(line));
  const folder = folderOfFrame.exec(own)?.[1] ?? own;
  const place = callers.find((line) => !line.includes(folder) && !line.includes('node:'));
  return place?.trim() ?? `\n${callers.join('\n')}\n`;
}

const isFrame = /:\d+:\d+\)?$/;
/** The library's folder: as it is published, or its sources. */
const folderOfFrame = /([^(@\s]*[\\/])(?:controller[\\/]api[\\/])?[^\\/]*$/;
