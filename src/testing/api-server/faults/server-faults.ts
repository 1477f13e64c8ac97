import { Observable, Subject, type SchedulerLike } from 'rxjs';
import { type ApiRequest, type RequestHandler, ConnectionFault } from '../exchange.js';
import type { Catalog } from '../resources/catalog.js';
import {
  requestKind,
  type FaultContext,
  type RequestKind,
  type RestartOptions,
  type ServerFault,
} from './server-fault.js';

/** Which requests a fault is for; a streaming list (`sendInitialEvents`) is a watch. */
export type FaultTarget = RequestKind | 'any' | ((request: ApiRequest) => boolean);

/**
 * What goes wrong at an embedded API server, and when.
 *
 * Each request meets at most one fault: the oldest `next` that is for it, otherwise the latest `always`. What the test itself does
 * (`server.apply`, `server.remove`) is no request and meets none; requests of `server.client` do.
 *
 * @example
 * const server = createInMemoryApiServer();
 * server.faults.next('watch', stall(), { times: 2 });
 * server.faults.always((request) => request.path.endsWith('/pods'), delay(200));
 * server.faults.clear();
 */
export interface ServerFaults {
  /**
   * The next request of this kind meets the fault.
   *
   * @param options `times`: how many requests do, one after the other; default 1. Throws `RangeError` unless a positive integer.
   */
  next(target: FaultTarget, fault: ServerFault, options?: { readonly times?: number | undefined }): void;
  /** Every request of this kind meets the fault, until `clear`. */
  always(target: FaultTarget, fault: ServerFault): void;
  /** No more faults for later requests; what requests under way have met goes on. */
  clear(): void;
}

interface Planned {
  readonly target: FaultTarget;
  readonly fault: ServerFault;
  timesLeft: number;
}

export interface FaultLayer {
  readonly faults: ServerFaults;
  readonly restart: (options?: RestartOptions) => void;
  /** Puts the faults before a handler. */
  readonly around: (next: RequestHandler) => RequestHandler;
}

export function createServerFaults(server: {
  readonly catalog: Catalog;
  readonly scheduler: SchedulerLike;
  compact(): void;
}): FaultLayer {
  const planned: Planned[] = [];
  const always: Planned[] = [];
  const restarts = new Subject<void>();
  const restart = ({ compact = false }: RestartOptions = {}): void => {
    if (compact) server.compact();
    restarts.next();
  };
  const take = (request: ApiRequest, kind: RequestKind | undefined): ServerFault | undefined => {
    const isFor = ({ target }: Planned): boolean => matches(target, request, kind);
    const next = planned.find(isFor);
    if (next === undefined) return always.findLast(isFor)?.fault;
    next.timesLeft -= 1;
    if (next.timesLeft === 0) planned.splice(planned.indexOf(next), 1);
    return next.fault;
  };
  return {
    faults: {
      next: (target, fault, { times = 1 } = {}) => {
        if (!Number.isSafeInteger(times) || times < 1)
          throw new RangeError(`times is ${times}; a positive integer expected`);
        planned.push({ target, fault, timesLeft: times });
      },
      always: (target, fault) => {
        always.push({ target, fault, timesLeft: Infinity });
      },
      clear: () => {
        planned.length = 0;
        always.length = 0;
      },
    },
    restart,
    around: (handle) => {
      const answer: RequestHandler = (request) => {
        const kind = requestKind(request, server.catalog);
        const fault = take(request, kind);
        if (fault === undefined) return handle(request);
        const context: FaultContext = { scheduler: server.scheduler, kind, restart };
        return fault.intercept(request, handle, context);
      };
      return (request) => untilRestart(restarts, () => answer(request));
    },
  };
}

function matches(target: FaultTarget, request: ApiRequest, kind: RequestKind | undefined): boolean {
  return typeof target === 'function' ? target(request) : target === 'any' || target === kind;
}

/** Breaks the connection of a request that is under way when the server is restarted. */
function untilRestart<T>(restarts: Observable<void>, answer: () => Observable<T>): Observable<T> {
  return new Observable((subscriber) => {
    // Before the answer: it may be what restarts the server.
    subscriber.add(restarts.subscribe(() => subscriber.error(new ConnectionFault('reset'))));
    subscriber.add(
      answer().subscribe({
        next: (reply) => subscriber.next(reply),
        error: (error: unknown) => subscriber.error(error),
      }),
    );
  });
}
