import {
  AsyncSubject,
  defer,
  finalize,
  ignoreElements,
  merge,
  Subject,
  take,
  tap,
  timer,
  Observable,
  type Subscriber,
  type Subscription,
} from 'rxjs';
import { messageOf, isRxInformersError } from '../../kubernetes/errors.js';
import { eventsV1Events } from '../../kubernetes/resources/other.js';
import { apiCall, type ApiCall } from '../../requests/resource-client/api-call.js';
import { resourceClient } from '../../requests/resource-client/resource-client.js';
import { wallTime, checkedDuration } from '../../scheduling/clock.js';
import { runProtocol, type ProtocolRun } from '../../scheduling/run-protocol.js';
import type { KubeClient } from '../../sources/client/kube-client.js';
import { requeueAfter, type RequeueAfter } from '../workqueue/outcome.js';
import { workqueue } from '../workqueue/workqueue.js';
import type { EventDetails, EventObject, Regarding } from './event-object.js';
import { eventNames, makeEvent, type EventOrigin } from './make-event.js';
import {
  checkedRecorderOptions,
  type CloseOptions,
  type EventRecorder,
  type EventRecorderOptions,
} from './recorder-options.js';
import { logOutcome, type RecordingOutcome, invalidEventDetailsError } from './recording-outcome.js';
import {
  eventWithSeries,
  isomorphicKey,
  newSeries,
  step,
  type Effect,
  type Input,
  type Series,
  type WriteEnd,
} from './series.js';
import { writeEvent, type EventWriter } from './write-event.js';

/**
 * Records Kubernetes events (events.k8s.io/v1), which `kubectl describe` shows below an object.
 *
 * An event and its repeats form a series (E7). The first occurrence creates the event. The second
 * occurrence adds a count to the event. Further occurrences are only counted. The count is written
 * every 30 minutes, and a last time after 6 minutes without a repeat. An event is a repeat if type,
 * action, reason and objects are equal. The note and the resourceVersion of the objects are not
 * compared (▲ client-go compares the resourceVersion).
 *
 * **Guarantees**: `record` never waits and never throws (E1). At most one write for each series,
 * and 8 writes in all, are under way at a time. At most 1000 series wait to be written; if more
 * would wait, new events are dropped. A write that does not reach the server is tried 12 times, 10
 * s apart. A write that the server refuses is tried again only if the response has a `Retry-After`
 * (E6). Each occurrence is either written, or dropped with an outcome that reports it.
 *
 * **Does not guarantee**: that an event is written. Events inform people; do not let a program
 * depend on them. The number of remembered series is not limited: each series is remembered for 6
 * minutes after its last occurrence.
 *
 * @param client sends the events
 * @param options the controller that reports the events, and the limits; see {@link
 *   EventRecorderOptions}
 * @returns a recorder; `close()` writes the pending events
 * @throws `RXI_INVALID_OPTION` at once, if the API server would refuse every event because of these
 *   options
 * @example
 * import { pods, type KubeClient } from 'rx-informers';
 * import { eventRecorder } from 'rx-informers/controller';
 * import { resourceClient } from 'rx-informers/requests';
 *
 * declare const client: KubeClient;
 *
 * const recorder = eventRecorder(client, {
 *   reportingController: 'example.com/pod-warden',
 *   reportingInstance: 'warden-0',
 * });
 * const pod = await resourceClient(client, pods).get('web/shop');
 * recorder.record(pod, {
 *   type: 'Warning',
 *   reason: 'OutOfHours',
 *   action: 'Evicting',
 *   note: 'the shop is closed',
 * });
 * await recorder.close();
 */
export function eventRecorder(client: KubeClient, options: EventRecorderOptions): EventRecorder {
  return new Recorder(client, checkedRecorderOptions(client, options));
}

/** The number of series that may wait for a worker, and the number of workers (E1, E7). */
const queueSize = 1000;
const concurrency = 8;

/** Runs a protocol for each series. The series wait in a workqueue for one of its workers. */
class Recorder implements EventRecorder {
  readonly outcomes$: Observable<RecordingOutcome>;
  readonly #outcomes = new Subject<RecordingOutcome>();
  readonly #ended = new AsyncSubject<void>();
  readonly #series = new Map<string, ProtocolRun<Series, Input>>();
  /** Busy workers by the key of their series. Completing the subscriber frees the worker. */
  readonly #underWay = new Map<string, Subscriber<RequeueAfter>>();
  readonly #turns = new Subject<string>();
  readonly #work: Subscription;
  readonly #writer: EventWriter;
  readonly #origin: Omit<EventOrigin, 'at'>;
  /** How many series wait for a worker. */
  #due = 0;
  #isClosing = false;
  #isClosed = false;

  constructor(
    client: KubeClient,
    private readonly options: ReturnType<typeof checkedRecorderOptions>,
  ) {
    const { scheduler, random, reportingController, reportingInstance } = options;
    this.outcomes$ = this.#outcomes.asObservable();
    this.#origin = { reportingController, reportingInstance, nameOf: eventNames(random) };
    this.#writer = {
      client: resourceClient(client, eventsV1Events, { scheduler }),
      scheduler,
      random,
      retrying: (event, failure) => this.#report({ type: 'retrying', event, ...failure }),
    };
    this.#work = this.#turns
      .pipe(workqueue((key) => this.#turn(key), { concurrency, scheduler, maxRetries: 0 }))
      .subscribe({ complete: () => this.unsubscribe() });
  }

  get closed(): boolean {
    return this.#isClosed;
  }

  record(regarding: Regarding, details: EventDetails): void {
    const at = this.options.scheduler.now();
    const time = wallTime(this.options.scheduler);
    const event = this.#make(regarding, details, time);
    if (event === undefined) return;
    if (this.#isClosing) {
      this.#drop('stopped', event);
      return;
    }
    const key = isomorphicKey(event);
    const known = this.#series.get(key);
    const hasRoom = this.#due < queueSize;
    if (known === undefined && !hasRoom) this.#drop('queue-full', event);
    else (known ?? this.#follow(key, event, at)).feed({ type: 'observed', at, time, hasRoom });
  }

  close({ deadline = 10_000 }: CloseOptions = {}): ApiCall<void> {
    checkedDuration('deadline', deadline);
    return apiCall(
      defer(() => {
        this.#writeWhatIsLeft();
        const stopAtDeadline$ = timer(deadline, this.options.scheduler).pipe(
          tap(() => this.unsubscribe()),
          ignoreElements(),
        );
        return merge(this.#ended, stopAtDeadline$).pipe(
          take(1),
          finalize(() => this.unsubscribe()),
        );
      }),
    );
  }

  unsubscribe(): void {
    if (this.#isClosed) return;
    this.#isClosing = true;
    this.#isClosed = true;
    this.#work.unsubscribe();
    for (const { state } of this.#series.values()) {
      if (state.count > state.written) this.#drop('stopped', eventWithSeries(state), state.count - state.written);
    }
    this.#series.clear();
    this.#outcomes.complete();
    this.#ended.next();
    this.#ended.complete();
  }

  #make(regarding: unknown, details: unknown, time: number): EventObject | undefined {
    try {
      return makeEvent(regarding, details, { ...this.#origin, at: time });
    } catch (error) {
      // Reading an argument may throw: immer revokes the draft of an edit when the edit has ended.
      const invalid = isRxInformersError(error, 'RXI_INVALID_EVENT_DETAILS')
        ? error
        : invalidEventDetailsError(regarding, `an argument cannot be read: ${messageOf(error)}`);
      this.#report({ type: 'dropped', cause: 'invalid', event: undefined, occurrences: 1, error: invalid });
      return undefined;
    }
  }

  /** Enqueues each resting series with an unwritten count; those due are queued already. */
  #writeWhatIsLeft(): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    for (const series of [...this.#series.values()]) series.feed({ type: 'closing' });
    this.#turns.complete();
  }

  #follow(key: string, event: EventObject, at: number): ProtocolRun<Series, Input> {
    const series = runProtocol<Series, Input, Effect>({
      initial: newSeries(event, at),
      step,
      carryOut: (effect) => this.#carryOut(key, effect),
      scheduler: this.options.scheduler,
      // If a subscriber of an outcome records the event again, the occurrence is counted before the
      // next write begins.
      isNested: true,
    });
    this.#series.set(key, series);
    return series;
  }

  /** Assigns a worker to a series, until the series rests. */
  #turn(key: string): Observable<RequeueAfter> {
    return new Observable((subscriber) => {
      const series = this.#series.get(key);
      if (series?.state.phase === 'due') this.#due -= 1;
      this.#underWay.set(key, subscriber);
      subscriber.add(() => this.#underWay.delete(key));
      series?.feed({ type: 'turn', at: this.options.scheduler.now() });
      if (series?.state.phase !== 'writing') subscriber.complete();
    });
  }

  #carryOut(key: string, effect: Effect): void {
    switch (effect.type) {
      case 'enqueue':
        this.#due += 1;
        this.#turns.next(key);
        return;
      case 'write':
        this.#write(key);
        return;
      case 'wait':
        this.#underWay.get(key)?.next(requeueAfter(effect.delay));
        return;
      case 'forget':
        this.#series.delete(key);
        return;
      case 'tell':
        this.#reportEnd(effect.end, effect.written);
        return;
      default:
        effect satisfies never;
    }
  }

  #write(key: string): void {
    const series = this.#series.get(key);
    if (series === undefined) return;
    const turn = this.#underWay.get(key);
    turn?.add(
      writeEvent(() => series.state, this.#writer).subscribe((end) => {
        series.feed({ type: 'write-ended', at: this.options.scheduler.now(), end });
        // Do this last: when the last series has finished, the recorder closes and completes
        // `outcomes$`.
        if (series.state.phase !== 'writing') turn.complete();
      }),
    );
  }

  #reportEnd(end: WriteEnd, written: number): void {
    if (end.isWritten) this.#report({ type: 'written', event: end.event });
    else this.#drop(end.cause, end.event, end.count - written, end.error);
  }

  #drop(
    cause: 'refused' | 'retries-exhausted' | 'queue-full' | 'stopped',
    event: EventObject,
    occurrences = 1,
    error?: unknown,
  ): void {
    this.#report({ type: 'dropped', cause, event, occurrences, error });
  }

  #report(outcome: RecordingOutcome): void {
    logOutcome(this.options.logger, outcome);
    this.#outcomes.next(outcome);
  }
}
