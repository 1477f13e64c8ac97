import { Subscription, type Observable } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import { MarbleAssertionError } from './marble-assertion-error.js';
import type { Moment } from './moment.js';
import { assertSameMessages } from './rxjs-messages.js';
import { isAsExpected } from './timeline.js';

/** A stream that is recorded, and what it is compared with. */
interface Expectation {
  readonly subject: string;
  readonly actual: readonly Moment[];
  expected?: readonly Moment[];
}

export interface ExpectOptions<V> {
  readonly subject: string;
  readonly stream: Observable<V>;
  readonly labelOf: (value: V) => string;
  readonly parse: (diagram: string) => readonly Moment[];
  /** rxjs's subscription marbles; default: from the beginning to the end. */
  readonly subscription?: string | undefined;
}

/** rxjs's TestScheduler with one more kind of expectation, checked when rxjs checks its own. */
export class MarbleTestScheduler extends TestScheduler {
  #expectations: Expectation[] = [];
  readonly #subscriptions = new Subscription();

  constructor() {
    super(assertSameMessages);
  }

  /** Records a stream from now on; the diagram is read at once, and compared at the next flush. */
  expect<V>({ subject, stream, labelOf, parse, subscription }: ExpectOptions<V>): (diagram: string) => void {
    const actual: Moment[] = [];
    const expectation: Expectation = { subject, actual };
    this.#expectations.push(expectation);
    const record = (label: string, detail?: string): void => {
      actual.push({ frame: this.frame, label, ...(detail !== undefined && { detail }) });
    };
    this.#follow(subscription, () =>
      stream.subscribe({
        next: (value) => record(labelOf(value)),
        error: (error: unknown) => record('#', String(error)),
        complete: () => record('|'),
      }),
    );
    return (diagram) => {
      expectation.expected = parse(diagram);
    };
  }

  override flush(): void {
    super.flush();
    const ready = this.#expectations.filter(({ expected }) => expected !== undefined);
    this.#expectations = this.#expectations.filter(({ expected }) => expected === undefined);
    for (const { subject, expected = [], actual } of ready) {
      if (!isAsExpected(expected, actual)) throw new MarbleAssertionError(subject, expected, actual);
    }
  }

  /** An expectation without a diagram would pass whatever happens, so it is an error. */
  checkComplete(): void {
    const [forgotten] = this.#expectations;
    if (forgotten !== undefined) throw new TypeError(`${forgotten.subject} is compared with nothing: add .toBe(…)`);
  }

  /** Lets go of every stream that is recorded. */
  unsubscribeAll(): void {
    this.#subscriptions.unsubscribe();
  }

  #follow(marbles: string | undefined, subscribe: () => Subscription): void {
    const { subscribedFrame, unsubscribedFrame } = TestScheduler.parseMarblesAsSubscriptions(marbles ?? null, true);
    const running = new Subscription();
    this.#subscriptions.add(running);
    this.schedule(
      () => {
        running.add(subscribe());
      },
      subscribedFrame === Infinity ? 0 : subscribedFrame,
    );
    if (unsubscribedFrame === Infinity) return;
    this.schedule(() => {
      running.unsubscribe();
    }, unsubscribedFrame);
  }
}
