import type { Observable, Unsubscribable } from 'rxjs';
import type { KubeClient } from '../../sources/client/kube-client.js';
import type { ApiCall } from '../api/api-call.js';
import type { EventDetails } from './event-object.js';
import { checkedRecorderOptions, type EventRecorderOptions } from './event-recorder-options.js';
import type { Regarding } from './object-reference.js';
import { Recorder } from './recorder.js';
import type { RecordingOutcome } from './recording-outcome.js';

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
 * Records Kubernetes events (events.k8s.io/v1): what `kubectl describe` shows below an object.
 *
 * Repeats of an event are a series (E7): the first is created, the second makes it a series with a count, further ones are only counted;
 * the count is written every 30 minutes, and finally when nothing came for 6 minutes. What makes a repeat is type, action, reason and the
 * objects; not the note, and not the objects' resourceVersion (▲).
 *
 * **Guarantees**: recording waits for nothing and throws nothing (E1); one write at a time for each series, 8 in all, and 1000 series that
 * wait for one, above which a new event is dropped; what does not reach the server is tried 12 times, 10 s apart, what the server refuses
 * is not (E6); every occurrence is written, or told as dropped; one timer, and none while no series is remembered.
 * **Does not guarantee**: that an event is written; events are for people, and nothing may depend on them. A series is remembered for 6
 * minutes after its last occurrence, however many there are.
 * **Errors**: a `RangeError` at once for options that the API server would refuse in every event.
 *
 * @example
 * import { pods, type KubeClient } from 'rx-informers';
 * import { eventRecorder, resourceClient } from 'rx-informers/controller';
 *
 * declare const client: KubeClient;
 *
 * const recorder = eventRecorder(client, { reportingController: 'example.com/pod-warden', reportingInstance: 'warden-0' });
 * const pod = await resourceClient(client, pods).get('web/shop');
 * recorder.record(pod, { type: 'Warning', reason: 'OutOfHours', action: 'Evicting', note: 'the shop is closed' });
 * await recorder.close();
 */
export function eventRecorder(client: KubeClient, options: EventRecorderOptions): EventRecorder {
  return new Recorder(client, checkedRecorderOptions(options));
}
