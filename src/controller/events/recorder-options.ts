import { EMPTY, of, type Observable, type SchedulerLike, type Unsubscribable } from 'rxjs';
import { invalidOptionError } from '../../kubernetes/errors.js';
import { keyProblem } from '../../kubernetes/selector-requirement.js';
import { silentLogger, type Logger } from '../../requests/logger.js';
import { apiCall, type ApiCall } from '../../requests/resource-client/api-call.js';
import { steady } from '../../scheduling/clock.js';
import { safeRandom, silently } from '../../scheduling/safely.js';
import { randomOf, schedulerOf, type KubeClient } from '../../sources/client/kube-client.js';
import { safeLogger, safelyWithWarnings } from '../safe-hooks.js';
import type { EventDetails, Regarding } from './event-object.js';
import { byteLength } from './make-event.js';
import type { RecordingOutcome } from './recording-outcome.js';

/** Options of {@link EventRecorder.close}. */
export interface CloseOptions {
  /** Milliseconds to write pending events (default 10,000); the rest is dropped with an outcome. */
  readonly deadline?: number | undefined;
}

/** Records Kubernetes events about objects; see {@link eventRecorder}. */
export interface EventRecorder extends Unsubscribable {
  /** Records an event. Returns at once and never throws; `outcomes$` emits the outcome. */
  record(regarding: Regarding, details: EventDetails): void;
  /** Emits the outcomes of all events. Hot; completes when the recorder is closed. */
  readonly outcomes$: Observable<RecordingOutcome>;
  /** True if the recorder is closed and writes no more events. */
  readonly closed: boolean;
  /**
   * Closes the recorder: accepts no more events, writes pending events and final counts, and
   * completes at the end or at the deadline. Starts when it is subscribed to or awaited;
   * unsubscribing stops the recorder.
   *
   * @param options the deadline; see {@link CloseOptions}
   * @returns a call that completes when the recorder is closed
   */
  close(options?: CloseOptions): ApiCall<void>;
  /** Stops the recorder at once. Aborts running writes and drops pending events. */
  unsubscribe(): void;
}

/**
 * Records nothing. Use it for dry runs, and in tests of code that records.
 *
 * @example
 * import { eventRecorder, noEvents, type EventRecorder } from 'rx-informers/controller';
 * import type { KubeClient } from 'rx-informers';
 *
 * declare const client: KubeClient;
 * declare const isDryRun: boolean;
 *
 * const recorder: EventRecorder = isDryRun
 *   ? noEvents
 *   : eventRecorder(client, { reportingController: 'website-operator' });
 */
export const noEvents: EventRecorder = {
  record: () => undefined,
  outcomes$: EMPTY,
  closed: true,
  close: () => apiCall(of(undefined)),
  unsubscribe: () => undefined,
};

/** Options of {@link eventRecorder}. */
export interface EventRecorderOptions {
  /** The controller, for example `example.com/website-operator`: the form of a label key. */
  readonly reportingController: string;
  /**
   * The replica, at most 128 bytes; best the name of the pod (default: the controller and five
   * random digits). The same event of another replica is another series.
   */
  readonly reportingInstance?: string | undefined;
  /** Logs written events (`debug`) and failures (`warn`); default none. Its errors are ignored. */
  readonly logger?: Logger | undefined;
  /** The clock and the timers. Default: the scheduler of the client, or else `asyncScheduler`. */
  readonly scheduler?: SchedulerLike | undefined;
  /** Numbers in [0, 1) for names and the first wait of retries (default `random` of the client). */
  readonly random?: (() => number) | undefined;
}

/** The API server's limit, in bytes (ReportingInstanceLengthLimit). */
const maxInstanceLength = 128;

/** Adds defaults. Throws `RXI_INVALID_OPTION` if the API server would refuse every event. */
export function checkedRecorderOptions(client: KubeClient, options: EventRecorderOptions) {
  const { reportingController } = options;
  const logger = safeLogger(options.logger ?? silentLogger, silently);
  const random = safeRandom(randomOf(client, options), safelyWithWarnings(logger, {}));
  const problem = keyProblem(reportingController);
  if (problem !== undefined)
    throw invalidOptionError(
      'reportingController',
      reportingController,
      `of the form of a label key, such as example.com/shop (${problem})`,
    );
  const { reportingInstance = `${reportingController.slice(-100)}-${randomDigits(random)}` } = options;
  const length = byteLength(reportingInstance);
  if (length === 0 || length > maxInstanceLength) {
    throw invalidOptionError('reportingInstance', reportingInstance, `1 to ${maxInstanceLength} bytes long`);
  }
  const scheduler = steady(schedulerOf(client, options));
  return { ...options, reportingController, reportingInstance, logger, scheduler, random };
}

function randomDigits(random: () => number): string {
  return Math.floor(random() * 16 ** 5)
    .toString(16)
    .padStart(5, '0');
}
