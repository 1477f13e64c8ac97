import { defer, throwError } from 'rxjs';
import { ConnectionFault } from './connection-fault.js';
import type { ServerFault } from './server-fault.js';

export interface RestartOptions {
  /** Whether the history is lost too, so that watches from before get 410; default false. */
  readonly compact?: boolean | undefined;
}

/**
 * Restarts the server when the request comes: every connection is dropped, this one included; what the server holds stays.
 *
 * `server.restart()` does it at once, without waiting for a request.
 *
 * @example
 * const server = createInMemoryApiServer();
 * server.faults.next('write', restart({ compact: true }));
 */
export function restart(options: RestartOptions = {}): ServerFault {
  return {
    name: `restart({ compact: ${options.compact ?? false} })`,
    intercept: (_request, _next, context) =>
      defer(() => {
        context.restart(options);
        return throwError(() => new ConnectionFault('reset'));
      }),
  };
}
