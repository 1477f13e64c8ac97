import { type Observable, type Unsubscribable, EMPTY, of, type SchedulerLike } from 'rxjs';
import { type ApiCall, apiCall } from '../api/api-call.js';
import type { EventDetails, Regarding } from './event-object.js';
import type { RecordingOutcome } from './recording-outcome.js';
import { steady } from '../../time/clock.js';
import { keyProblem } from '../../kubernetes/selector.js';
import { containedHooks, containedLogger, containedRandom, warnOfHooks } from '../contained.js';
import { silentLogger, type Logger } from '../logger.js';
import { byteLength } from './make-event.js';
import type { SpamFilterOptions } from './series.js';

/** Options of `EventRecorder.close`. */
export interface CloseOptions {
  /** For how long to write what is left, in milliseconds (default 10,000); then the rest is dropped, and told. */
  readonly deadline?: number | undefined;
}

/** Records what happens to objects; see `eventRecorder`. */
export interface EventRecorder extends Unsubscribable {
  /** Records that something happened. Returns at once and never throws; what becomes of it is told by `outcomes$`. */
  record(regarding: Regarding, details: EventDetails): void;
  /** What became of what was recorded; hot, and complete when the recorder is closed. */
  readonly outcomes$: Observable<RecordingOutcome>;
  /** Whether nothing is written any more. */
  readonly closed: boolean;
  /**
   * Takes no more events, writes what is left, with the final counts of all series, and ends when that is done or the deadline is over.
   * Begins when it is subscribed to or awaited; unsubscribing from it stops the recorder.
   */
  close(options?: CloseOptions): ApiCall<void>;
  /** Stops at once: aborts what is being written, and drops what is left. */
  unsubscribe(): void;
}

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

/** Options of `eventRecorder`. */
export interface EventRecorderOptions {
  /** Who records, for example `example.com/website-operator`: a name as label keys have them. It is part of every event. */
  readonly reportingController: string;
  /**
   * Which of its replicas, at most 128 bytes; the name of the pod is best (default: the name of the controller and five random
   * digits). Repeats are only recognised by the instance that recorded the first.
   */
  readonly reportingInstance?: string | undefined;
  /**
   * client-go's limit for different events about one object (default: none, as in client-go's recorder for events.k8s.io/v1; `{}` is
   * the one of its older recorder, 25 and then one every five minutes). Repeats are not limited: they are counted, and cost nothing.
   */
  readonly spamFilter?: SpamFilterOptions | undefined;
  /** Receives what is written (`debug`) and what fails (`warn`); default: none. If it throws, its error is ignored. */
  readonly logger?: Logger | undefined;
  /** The clock (default `asyncScheduler`); a test gives its own. */
  readonly scheduler?: SchedulerLike | undefined;
  /** Names of events, and the first wait of retries (default `Math.random`). */
  readonly random?: (() => number) | undefined;
}

/** A logger that throws: there is nowhere left to say so. */
const ignored = (): void => undefined;

/** The API server's limit, in bytes (ReportingInstanceLengthLimit). */
const maxInstanceLength = 128;

/** The options with their defaults; throws a `RangeError` for what the API server would refuse in every event. */
export function checkedRecorderOptions(options: EventRecorderOptions) {
  const { reportingController } = options;
  const logger = containedLogger(options.logger ?? silentLogger, containedHooks(ignored));
  const random = containedRandom(options.random ?? Math.random, containedHooks(warnOfHooks(logger, {})));
  const problem = keyProblem(reportingController);
  if (problem !== undefined) throw new RangeError(`the reportingController has to be like a label key: ${problem}`);
  const { reportingInstance = `${reportingController.slice(-100)}-${randomDigits(random)}` } = options;
  const length = byteLength(reportingInstance);
  if (length === 0 || length > maxInstanceLength) {
    throw new RangeError(`the reportingInstance must have 1 to ${maxInstanceLength} bytes, not ${length}`);
  }
  return { ...options, reportingController, reportingInstance, logger, scheduler: steady(options.scheduler), random };
}

function randomDigits(random: () => number): string {
  return Math.floor(random() * 16 ** 5)
    .toString(16)
    .padStart(5, '0');
}
