import type { Observable, SchedulerLike } from 'rxjs';
import type { ApiReply, ApiRequest, RequestHandler } from '../exchange.js';
import type { RestartOptions } from './restart.js';

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

/** A streaming list (`sendInitialEvents`) is a watch. */
export type RequestKind = 'list' | 'watch' | 'get' | 'write';
