import { EMPTY, of, type Observable, type SchedulerLike, type Unsubscribable } from 'rxjs';
import { keyProblem } from '../../kubernetes/parse-label-selector.js';
import { steady } from '../../time/clock.js';
import { apiCall, type ApiCall } from '../api/api-call.js';
import { containedHooks, containedLogger, containedRandom, warnOfHooks } from '../contained.js';
import { silentLogger, type Logger } from '../logger.js';
import type { EventDetails, Regarding } from './event-object.js';
import { byteLength } from './make-event.js';
import type { RecordingOutcome } from './recording-outcome.js';
import type { SpamFilterOptions } from './series.js';
import { randomOf, schedulerOf, type KubeClient } from '../../sources/client/kube-client.js';

/** Options of `EventRecorder.close`. */
export interface CloseOptions {
  /**
   * For how long to write what is left, in milliseconds (default 10,000). Then the rest is dropped,
   * with an outcome for each event.
   */
  readonly deadline?: number | undefined;
}

/** Records what happens to objects; see `eventRecorder`. */
export interface EventRecorder extends Unsubscribable {
  /**
   * Records that something happened. Returns at once and never throws; `outcomes$` emits what
   * became of it.
   */
  record(regarding: Regarding, details: EventDetails): void;
  /** Emits what became of each event. Hot; completes when the recorder is closed. */
  readonly outcomes$: Observable<RecordingOutcome>;
  /** True if nothing is written any more. */
  readonly closed: boolean;
  /**
   * Accepts no more events, writes what is left, with the final counts of all series, and completes
   * when that is done or the deadline is over. It begins when it is subscribed to or awaited.
   * Unsubscribing from it stops the recorder.
   */
  close(options?: CloseOptions): ApiCall<void>;
  /** Stops at once: aborts what is being written, and drops what is left. */
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
 * const recorder: EventRecorder = isDryRun ? noEvents : eventRecorder(client, { reportingController: 'website-operator' });
 */
export const noEvents: EventRecorder = {
  record: () => undefined,
  outcomes$: EMPTY,
  closed: true,
  close: () => apiCall(of(undefined)),
  unsubscribe: () => undefined,
};

/** Options of `eventRecorder`. */
export interface EventRecorderOptions {
  /**
   * The controller that records, for example `example.com/website-operator`, in the form of a label
   * key. It is part of every event.
   */
  readonly reportingController: string;
  /**
   * The replica that records, at most 128 bytes; the name of the pod is best (default: the name of
   * the controller and five random digits). Only the instance that recorded the first of a series
   * recognizes its repeats.
   */
  readonly reportingInstance?: string | undefined;
  /**
   * Limits how many different events are recorded about one object (default: no limit, as in
   * client-go's recorder for events.k8s.io/v1). `{}` is the limit of its older recorder: 25, then
   * one every five minutes. Repeats are not limited: they are counted, and cost nothing.
   */
  readonly spamFilter?: SpamFilterOptions | undefined;
  /**
   * Receives what is written (`debug`) and what fails (`warn`); default: none. A logger that throws
   * is ignored.
   */
  readonly logger?: Logger | undefined;
  /** The clock and the timers. Default: those of the client, or else `asyncScheduler`. */
  readonly scheduler?: SchedulerLike | undefined;
  /**
   * Returns numbers in [0, 1) for the names of events and the first wait of retries. Default: that
   * of the client, or else `Math.random`.
   */
  readonly random?: (() => number) | undefined;
}

/** There is nowhere left to report a logger that throws. */
const ignored = (): void => undefined;

/** The API server's limit, in bytes (ReportingInstanceLengthLimit). */
const maxInstanceLength = 128;

/**
 * Returns the options with their defaults.
 *
 * @throws RangeError for options that the API server would refuse in every event
 */
export function checkedRecorderOptions(client: KubeClient, options: EventRecorderOptions) {
  const { reportingController } = options;
  const logger = containedLogger(options.logger ?? silentLogger, containedHooks(ignored));
  const random = containedRandom(randomOf(client, options), containedHooks(warnOfHooks(logger, {})));
  const problem = keyProblem(reportingController);
  if (problem !== undefined) throw new RangeError(`the reportingController has to be like a label key: ${problem}`);
  const { reportingInstance = `${reportingController.slice(-100)}-${randomDigits(random)}` } = options;
  const length = byteLength(reportingInstance);
  if (length === 0 || length > maxInstanceLength) {
    throw new RangeError(`the reportingInstance must have 1 to ${maxInstanceLength} bytes, not ${length}`);
  }
  const scheduler = steady(schedulerOf(client, options));
  return { ...options, reportingController, reportingInstance, logger, scheduler, random };
}

function randomDigits(random: () => number): string {
  return Math.floor(random() * 16 ** 5)
    .toString(16)
    .padStart(5, '0');
}
