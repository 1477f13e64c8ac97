import type { Observable, SchedulerLike } from 'rxjs';
import type { ApiReply, ApiRequest, RequestHandler } from '../exchange.js';
import type { Catalog } from '../resources/catalog.js';
import { parsePath, verbOf, type Verb } from '../routing.js';

/** Something that goes wrong with one request to the embedded API server: what stands between the request and its answer. */
export interface ServerFault {
  /** As it was made, for messages: `dropAfter(100)`. */
  readonly name: string;
  /**
   * Answers instead of `next`, or does something to what `next` answers.
   *
   * @returns one reply; an error breaks the connection
   */
  intercept(request: ApiRequest, next: RequestHandler, context: FaultContext): Observable<ApiReply>;
}

/** What a fault may use of the server. */
export interface FaultContext {
  /** The server's clock and timers. */
  readonly scheduler: SchedulerLike;
  /** What the request asks for; undefined where it is not for objects (discovery, `/version`). */
  readonly kind: RequestKind | undefined;
  restart(options?: RestartOptions): void;
}

/** Options of `serverFaults.restart` and `server.restart`. */
export interface RestartOptions {
  /** Whether the history is lost too, so that watches from before get 410; default false. */
  readonly compact?: boolean | undefined;
}

/** A streaming list (`sendInitialEvents`) is a watch. */
export type RequestKind = 'list' | 'watch' | 'get' | 'write';

/** What a request asks for; undefined where it is not for objects, or is nonsense that the server itself will answer. */
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

/** Checks an argument that counts something. */
export function countOf(name: string, value: number, least = 0): number {
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new RangeError(`${name} is ${value}; an integer of at least ${least} expected`);
}

/** Checks an argument in milliseconds. */
export function millisecondsOf(name: string, value: number): number {
  if (value >= 0 && value < Infinity) return value;
  throw new RangeError(`${name} is ${value}; milliseconds of at least 0 expected`);
}
