import type { Observable, SchedulerLike } from 'rxjs';
import { invalidOptionError } from '../../../kubernetes/errors.js';
import type { ApiReply, ApiRequest, RequestHandler } from '../exchange/exchange.js';
import type { Catalog } from '../resources/catalog.js';
import { parsePath, type Verb, verbOf } from '../resources/routing.js';

/** A fault of one request to the embedded API server. `serverFaults` creates faults. */
export interface ServerFault {
  /** The call that created the fault, for messages: `drop(100)`. */
  readonly name: string;
  /**
   * Handles the request instead of `next`, or changes the reply of `next`. Emits one reply; an
   * error breaks the connection.
   *
   * @internal
   */
  intercept(request: ApiRequest, next: RequestHandler, context: FaultContext): Observable<ApiReply>;
}

/** The parts of the server that a fault may use. */
export interface FaultContext {
  /** The server's clock and timers. */
  readonly scheduler: SchedulerLike;
  /** `undefined` for a request that is not for objects (discovery, `/version`). */
  readonly kind: RequestKind | undefined;
  restart(options?: RestartOptions): void;
}

/** Options of `serverFaults.restart` and `server.restart`. */
export interface RestartOptions {
  /** Also drops the history, so that watches from an earlier version receive 410. Default false. */
  readonly compact?: boolean | undefined;
}

/** The kind of a request for objects. A streaming list (`sendInitialEvents`) counts as a watch. */
export type RequestKind = 'list' | 'watch' | 'get' | 'write';

/** `undefined` if the request is not for objects, or if the server will refuse it. */
export function requestKind(request: ApiRequest, catalog: Catalog): RequestKind | undefined {
  const route = parsePath(request.path, catalog);
  if (route.type !== 'resource') return undefined;
  try {
    return kindOf(verbOf(request, route));
  } catch {
    return undefined;
  }
}

function kindOf(verb: Verb): RequestKind {
  switch (verb) {
    case 'list':
    case 'watch':
    case 'get':
      return verb;
    case 'create':
    case 'update':
    case 'patch':
    case 'delete':
    case 'deletecollection':
      return 'write';
  }
  return verb satisfies never;
}

/** Returns a count; throws `RXI_INVALID_OPTION` unless it is an integer of at least `least`. */
export function checkedCount(name: string, value: number, least = 0): number {
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw invalidOptionError(name, value, `a whole number of at least ${least}`);
}
