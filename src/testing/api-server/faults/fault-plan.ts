import { Observable, Subject, type SchedulerLike } from 'rxjs';
import { invalidOptionError } from '../../../kubernetes/errors.js';
import { type ApiRequest, type RequestHandler, ConnectionFault } from '../exchange/exchange.js';
import type { Catalog } from '../resources/catalog.js';
import {
  requestKind,
  type FaultContext,
  type RequestKind,
  type RestartOptions,
  type ServerFault,
} from './server-fault.js';

/** The requests of a fault. A streaming list (`sendInitialEvents`) is a watch. */
export type FaultTarget = RequestKind | 'any' | ((request: ApiRequest) => boolean);

/**
 * Assigns faults to requests of an embedded API server. `serverFaults` creates the faults.
 *
 * A request has at most one fault: the oldest matching `next`, otherwise the latest matching
 * `always`. Faults also apply to requests of `server.client`. They do not apply to `server.apply`
 * and `server.remove`, which are not requests.
 *
 * @example
 * const server = createInMemoryApiServer();
 * server.faults.next('watch', serverFaults.stall(), { times: 2 });
 * server.faults.always((request) => request.path.endsWith('/pods'), serverFaults.delay(200));
 * server.faults.clear();
 */
export interface FaultPlan {
  /**
   * Applies the fault to the next matching request.
   *
   * @param target the requests to which the fault applies
   * @param fault the fault
   * @param options `times`: the number of requests with the fault; default 1
   * @throws `RXI_INVALID_OPTION` unless `times` is a positive integer
   */
  next(target: FaultTarget, fault: ServerFault, options?: { readonly times?: number | undefined }): void;
  /** Applies the fault to every matching request, until `clear`. */
  always(target: FaultTarget, fault: ServerFault): void;
  /** Removes all faults. Requests that have already begun keep their faults. */
  clear(): void;
}

interface Planned {
  readonly target: FaultTarget;
  readonly fault: ServerFault;
  timesLeft: number;
}

/** The faults of one server. */
export interface FaultLayer {
  readonly faults: FaultPlan;
  readonly restart: (options?: RestartOptions) => void;
  /** Returns a handler that applies the faults to the requests and the replies of `next`. */
  readonly around: (next: RequestHandler) => RequestHandler;
}

/** Creates the fault plan of a server. The plan is empty at first. */
export function createFaultPlan(server: {
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
          throw invalidOptionError('times', times, 'a whole number of at least 1');
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

/** Breaks the connection of a running request when the server restarts. */
function untilRestart<T>(restarts: Observable<void>, answer: () => Observable<T>): Observable<T> {
  return new Observable((subscriber) => {
    // Subscribes before the request is handled, because the request itself may restart the server.
    subscriber.add(restarts.subscribe(() => subscriber.error(new ConnectionFault('reset'))));
    subscriber.add(
      answer().subscribe({
        next: (reply) => subscriber.next(reply),
        error: (error: unknown) => subscriber.error(error),
      }),
    );
  });
}
