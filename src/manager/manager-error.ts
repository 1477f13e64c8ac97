import type { ControllerStopping } from '../controller/reconcile/reconcile-event.js';
import { RxInformersError, messageOf } from '../kubernetes/errors.js';

/**
 * The port for health and metrics could not be opened. Nothing else was started.
 *
 * **What to do**: Choose another port, or stop the process that uses it. `causeCode` is the error
 * code of Node, for example `EADDRINUSE`.
 */
export class ListenError extends RxInformersError {
  static override readonly code = 'RXI_LISTEN';
  override readonly name = 'ListenError';
  constructor(
    /** The code of the system's error: `EADDRINUSE`, `EACCES`, `EADDRNOTAVAIL`, `ENOTFOUND` … */
    readonly causeCode: string,
    readonly port: number,
    /** Undefined for all addresses of this machine. */
    readonly host: string | undefined,
    override readonly cause: unknown,
  ) {
    super(`cannot listen on port ${port} of ${host ?? 'all addresses'}: ${reason(causeCode, cause)}`, { cause });
  }
}

function reason(code: string, cause: unknown): string {
  switch (code) {
    case 'EADDRINUSE':
      return 'another program uses the port; stop that program, or choose another health.port';
    case 'EACCES':
      return 'this process may not use the port; choose a health.port above 1023';
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'health.host is not an address of this machine; leave it out to listen on all addresses';
    default:
      return messageOf(cause);
  }
}

/**
 * A controller ended although nothing had stopped it.
 *
 * **What to do**: Look at the previous error in the log. The process must be restarted: a manager
 * lets the process exit, so that Kubernetes restarts it.
 */
export class ControllerEndedError extends RxInformersError {
  static override readonly code = 'RXI_CONTROLLER_ENDED';
  override readonly name = 'ControllerEndedError';
  constructor(
    /** The name of the controller. */
    readonly controller: string,
    /** The event `stopping` with its reason. Undefined if the controller completed without it. */
    readonly stopping: ControllerStopping | undefined,
  ) {
    super(`the controller ${controller} ended by itself: ${whyEnded(stopping)}`, { cause: stopping?.error });
  }
}

function whyEnded(stopping: ControllerStopping | undefined): string {
  switch (stopping?.cause) {
    case 'collection-ended':
      return `the collection of ${stopping.trigger ?? 'one of its sources'} was stopped, or its source completed`;
    case 'stop-failed':
      return `its stop$ failed: ${messageOf(stopping.error)}`;
    default:
      return 'its Observable completed';
  }
}

/**
 * The leader election ended although nothing had stopped it.
 *
 * **What to do**: Look at the previous error in the log. The process must be restarted: a manager
 * lets the process exit, so that Kubernetes restarts it.
 */
export class ElectionEndedError extends RxInformersError {
  static override readonly code = 'RXI_ELECTION_ENDED';
  override readonly name = 'ElectionEndedError';
  constructor() {
    super('the leader election ended by itself, so this replica can no longer lead; restart the process');
  }
}
