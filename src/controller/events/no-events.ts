import { EMPTY, of } from 'rxjs';
import { apiCall } from '../api/api-call.js';
import type { EventRecorder } from './event-recorder.js';

/**
 * A recorder that records nothing: for dry runs, and for tests of what records.
 *
 * @example
 * import { eventRecorder, noEvents, type EventRecorder } from 'rx-informers/controller';
 * import type { KubeClient } from 'rx-informers';
 *
 * declare const client: KubeClient;
 * declare const isDryRun: boolean;
 *
 * const recorder: EventRecorder = isDryRun ? noEvents : eventRecorder(client, { reportingController: 'website-operator' });
 */
export const noEvents: EventRecorder = {
  record: () => undefined,
  outcomes$: EMPTY,
  closed: true,
  close: () => apiCall(of(undefined)),
  unsubscribe: () => undefined,
};
