import type { ReconcileEventOf } from '../controller/reconcile/reconcile-event.js';
import { RxInformersError, messageOf } from '../kubernetes/errors.js';

export function listenError(
  causeCode: string,
  port: number,
  host: string | undefined,
  cause: unknown,
): RxInformersError<'RXI_LISTEN'> {
  const message = `cannot listen on port ${port} of ${host ?? 'all addresses'}: ${reason(causeCode, cause)}`;
  return new RxInformersError('RXI_LISTEN', message, { causeCode, port, host, cause });
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

export function controllerEndedError(
  controller: string,
  stopping: ReconcileEventOf<'stopping'> | undefined,
): RxInformersError<'RXI_CONTROLLER_ENDED'> {
  const message = `the controller ${controller} ended by itself: ${whyEnded(stopping)}`;
  return new RxInformersError('RXI_CONTROLLER_ENDED', message, { controller, stopping, cause: stopping?.error });
}

function whyEnded(stopping: ReconcileEventOf<'stopping'> | undefined): string {
  switch (stopping?.cause) {
    case 'collection-ended':
      return `the collection of ${stopping.trigger ?? 'one of its sources'} was stopped, or its source completed`;
    case 'stop-failed':
      return `its stop$ failed: ${messageOf(stopping.error)}`;
    default:
      return 'its Observable completed';
  }
}

export function electionEndedError(): RxInformersError<'RXI_ELECTION_ENDED'> {
  const message = 'the leader election ended by itself, so this replica can no longer lead; restart the process';
  return new RxInformersError('RXI_ELECTION_ENDED', message, {});
}
