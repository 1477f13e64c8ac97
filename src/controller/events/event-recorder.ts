import { wallTime, checkedDuration } from '../../time/clock.js';
import {
  AsyncSubject,
  defer,
  EMPTY,
  finalize,
  ignoreElements,
  merge,
  mergeMap,
  of,
  Subject,
  take,
  tap,
  timer,
  type Observable,
  type Subscription,
} from 'rxjs';
import { eventsV1Events } from '../../kubernetes/resources/other.js';
import type { KubeClient } from '../../sources/client/kube-client.js';
import { apiCall, type ApiCall } from '../api/api-call.js';
import { resourceClient } from '../api/resource-client.js';
import { requeueAfter, type RequeueAfter } from '../workqueue/outcome.js';
import { workqueue } from '../workqueue/workqueue.js';
import { eventNames, makeEvent, type EventOrigin } from './make-event.js';
import type { EventDetails, EventObject, Regarding } from './event-object.js';
import {
  checkedRecorderOptions,
  type CloseOptions,
  type EventRecorder,
  type EventRecorderOptions,
} from './recorder-options.js';
import { InvalidEventDetailsError, logOutcome, type RecordingOutcome } from './recording-outcome.js';
import {
  isomorphicKey,
  eventWithSeries,
  type Series,
  spamFilter,
  type SpamFilter,
  begin,
  step,
  type Effect,
  type Step,
} from './series.js';
import { writeEvent, type EventWriter, type WriteEnd } from './write-event.js';

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

/** E1, E7: how many series may wait for a worker, and how many workers there are. */
const queueSize = 1000;
const concurrency = 8;

/** Carries out what `step` says: the series stand in a map, and take turns in a workqueue. */
class Recorder implements EventRecorder {
  readonly outcomes$: Observable<RecordingOutcome>;
  readonly #outcomes = new Subject<RecordingOutcome>();
  readonly #ended = new AsyncSubject<void>();
  readonly #series = new Map<string, Series>();
  readonly #turns = new Subject<string>();
  readonly #work: Subscription;
  readonly #writer: EventWriter;
  readonly #origin: Omit<EventOrigin, 'at'>;
  readonly #passes: SpamFilter;
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
    this.#passes = options.spamFilter === undefined ? () => true : spamFilter(options.spamFilter);
    this.#writer = {
      client: resourceClient(client, eventsV1Events, { scheduler }),
      scheduler,
      random,
      retrying: (event, failure) => {
        this.#tell({ type: 'retrying', event, ...failure });
      },
    };
    this.#work = this.#turns
      .pipe(workqueue((key) => this.#turn(key), { concurrency, scheduler, maxRetries: 0 }))
      .subscribe({
        complete: () => {
          this.unsubscribe();
        },
      });
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
    if (known) this.#enqueueIf(key, this.#keep(key, step(known, { type: 'observed', at, time, hasRoom })));
    else if (!hasRoom) this.#drop('queue-full', event);
    else if (!this.#passes(event, at)) this.#drop('spam', event);
    else this.#enqueueIf(key, this.#keep(key, begin(event, at, time)));
  }

  close({ deadline = 10_000 }: CloseOptions = {}): ApiCall<void> {
    checkedDuration('the deadline', deadline);
    return apiCall(
      defer(() => {
        this.#writeWhatIsLeft();
        const stopAtDeadline$ = timer(deadline, this.options.scheduler).pipe(
          tap(() => {
            this.unsubscribe();
          }),
          ignoreElements(),
        );
        return merge(this.#ended, stopAtDeadline$).pipe(
          take(1),
          finalize(() => {
            this.unsubscribe();
          }),
        );
      }),
    );
  }

  unsubscribe(): void {
    if (this.#isClosed) return;
    this.#isClosing = true;
    this.#isClosed = true;
    this.#work.unsubscribe();
    for (const series of this.#series.values()) {
      if (series.count > series.written) this.#drop('stopped', eventWithSeries(series), series.count - series.written);
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
      if (!(error instanceof InvalidEventDetailsError)) throw error;
      this.#tell({ type: 'dropped', cause: 'invalid', event: undefined, occurrences: 1, error });
      return undefined;
    }
  }

  /** What is due is on its way already; of what rests, what is not written is enqueued. */
  #writeWhatIsLeft(): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    for (const key of [...this.#series.keys()]) {
      const series = this.#series.get(key);
      if (series) this.#enqueueIf(key, this.#keep(key, step(series, { type: 'closing' })));
    }
    this.#turns.complete();
  }

  /** A worker has time for a series. */
  #turn(key: string): Observable<RequeueAfter> {
    const series = this.#series.get(key);
    if (!series) return EMPTY;
    return this.#run(key, this.#keep(key, step(series, { type: 'turn', at: this.options.scheduler.now() })));
  }

  /** Carries out what a series wants, and then what follows from that, until it rests. */
  #run(key: string, effect: Effect): Observable<RequeueAfter> {
    switch (effect.type) {
      case 'write':
        return this.#write(key);
      case 'wait':
        return of(requeueAfter(effect.delay));
      case 'enqueue':
      case 'forget':
      case 'none':
        return EMPTY;
      default:
        return effect satisfies never;
    }
  }

  #write(key: string): Observable<RequeueAfter> {
    return writeEvent(() => this.#series.get(key), this.#writer).pipe(
      mergeMap((end) => {
        const series = this.#series.get(key);
        if (!series) return EMPTY;
        const at = this.options.scheduler.now();
        const { count, isWritten } = end;
        const effect = this.#keep(key, step(series, { type: 'write-ended', at, count, isWritten }));
        this.#tellEnd(end, series);
        return this.#run(key, effect);
      }),
    );
  }

  #tellEnd(end: WriteEnd, { written }: Series): void {
    if (end.isWritten) this.#tell({ type: 'written', event: end.event });
    else this.#drop(end.cause, end.event, end.count - written, end.error);
  }

  /** Remembers what has become of a series, before the world hears of it. */
  #keep(key: string, { series, effect }: Step): Effect {
    if (this.#series.get(key)?.phase === 'due') this.#due -= 1;
    if (effect.type === 'forget') {
      this.#series.delete(key);
      return effect;
    }
    if (series.phase === 'due') this.#due += 1;
    this.#series.set(key, series);
    return effect;
  }

  #enqueueIf(key: string, { type }: Effect): void {
    if (type === 'enqueue') this.#turns.next(key);
  }

  #drop(
    cause: 'refused' | 'retries-exhausted' | 'queue-full' | 'spam' | 'stopped',
    event: EventObject,
    occurrences = 1,
    error?: unknown,
  ): void {
    this.#tell({ type: 'dropped', cause, event, occurrences, error });
  }

  #tell(outcome: RecordingOutcome): void {
    logOutcome(this.options.logger, outcome);
    this.#outcomes.next(outcome);
  }
}
