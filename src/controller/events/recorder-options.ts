import { EMPTY, of, type Observable, type SchedulerLike, type Unsubscribable } from 'rxjs';
import { keyProblem } from '../../kubernetes/parse-label-selector.js';
import { steady } from '../../scheduling/clock.js';
import { safeRandom, silently } from '../../scheduling/safely.js';
import { randomOf, schedulerOf, type KubeClient } from '../../sources/client/kube-client.js';
import { apiCall, type ApiCall } from '../api/api-call.js';
import { safeLogger, safelyWithWarnings } from '../contained.js';
import { silentLogger, type Logger } from '../logger.js';
import type { EventDetails, Regarding } from './event-object.js';
import { byteLength } from './make-event.js';
import type { RecordingOutcome } from './recording-outcome.js';
import type { SpamFilterOptions } from './series.js';

/** Options of {@link EventRecorder.close}. */
export interface CloseOptions {
  /**
   * How many milliseconds pending events may take to be written (default 10,000). Then the
   * remaining events are dropped, each with an outcome.
   */
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
   * Closes the recorder. It accepts no more events, and writes the pending events and the final
   * counts of all series. The call completes when everything is written or the deadline has passed.
   * The call starts when it is subscribed to or awaited. Unsubscribing from the call stops the
   * recorder.
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
  /**
   * The name of the controller that records, for example `example.com/website-operator`. It must
   * have the form of a label key, and is part of every event.
   */
  readonly reportingController: string;
  /**
   * The name of the replica that records, at most 128 bytes (default: the name of the controller
   * and five random digits). The name of the pod is best. If another replica records the same
   * event, this starts another series.
   */
  readonly reportingInstance?: string | undefined;
  /**
   * Limits how many different events are recorded about one object (default: no limit, as in
   * client-go's recorder for events.k8s.io/v1). `{}` sets the limit of client-go's older recorder:
   * 25 events, then one every five minutes. Repeats are not limited, because they are only counted.
   */
  readonly spamFilter?: SpamFilterOptions | undefined;
  /**
   * Logs written events (`debug`) and failures (`warn`); default: none. Errors of the logger are
   * ignored.
   */
  readonly logger?: Logger | undefined;
  /** The clock and the timers. Default: the scheduler of the client, or else `asyncScheduler`. */
  readonly scheduler?: SchedulerLike | undefined;
  /**
   * Returns numbers in [0, 1) for the names of events and the first wait of retries. Default:
   * `random` of the client, or else `Math.random`.
   */
  readonly random?: (() => number) | undefined;
}

/** Ignores errors of the logger, because there is nowhere else to report them. */
/** The API server's limit, in bytes (ReportingInstanceLengthLimit). */
const maxInstanceLength = 128;

/**
 * Returns the options with their defaults.
 *
 * @throws RangeError if the API server would refuse every event because of these options
 */
export function checkedRecorderOptions(client: KubeClient, options: EventRecorderOptions) {
  const { reportingController } = options;
  const logger = safeLogger(options.logger ?? silentLogger, silently);
  const random = safeRandom(randomOf(client, options), safelyWithWarnings(logger, {}));
  const problem = keyProblem(reportingController);
  if (problem !== undefined)
    throw new RangeError(`reportingController must have the form of a label key, such as example.com/shop: ${problem}`);
  const { reportingInstance = `${reportingController.slice(-100)}-${randomDigits(random)}` } = options;
  const length = byteLength(reportingInstance);
  if (length === 0 || length > maxInstanceLength) {
    throw new RangeError(`reportingInstance must have 1 to ${maxInstanceLength} bytes, not ${length}`);
  }
  const scheduler = steady(schedulerOf(client, options));
  return { ...options, reportingController, reportingInstance, logger, scheduler, random };
}

function randomDigits(random: () => number): string {
  return Math.floor(random() * 16 ** 5)
    .toString(16)
    .padStart(5, '0');
}
