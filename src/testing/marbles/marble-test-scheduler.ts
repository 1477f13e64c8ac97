import { inspect, isDeepStrictEqual } from 'node:util';
import { Subscription, type Observable } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import { type TimelineMoment, isAsExpected, marbleAssertionError } from './timeline.js';

/** A recorded stream, and the expected moments. */
interface Expectation {
  readonly subject: string;
  readonly actual: () => readonly TimelineMoment[];
  expected?: readonly TimelineMoment[];
}

export interface ExpectOptions<V> {
  readonly subject: string;
  readonly stream: Observable<V>;
  /** rxjs's subscription marbles; default: from the beginning to the end. */
  readonly subscription?: string | undefined;
}

/** Converts a diagram to expected moments, and values to labels, to compare both. */
export interface Notation<V> {
  readonly expected: readonly TimelineMoment[];
  readonly labelOf: (value: V) => string;
}

/** rxjs's TestScheduler with one more kind of expectation, checked together with its own. */
export class MarbleTestScheduler extends TestScheduler {
  #expectations: Expectation[] = [];
  readonly #subscriptions = new Subscription();

  constructor() {
    super(assertSameMessages);
  }

  /** Records a stream. Call the result with the expected notation; the next flush compares. */
  expect<V>({ subject, stream, subscription }: ExpectOptions<V>): (notation: Notation<V>) => void {
    const recorded: ((labelOf: (value: V) => string) => TimelineMoment)[] = [];
    let labelOf: Notation<V>['labelOf'] = String;
    const expectation: Expectation = { subject, actual: () => recorded.map((moment) => moment(labelOf)) };
    this.#expectations.push(expectation);
    this.#follow(subscription, () =>
      stream.subscribe({
        next: (value) => {
          const { frame } = this;
          recorded.push((label) => ({ frame, label: label(value) }));
        },
        error: (error: unknown) => {
          const { frame } = this;
          recorded.push(() => ({ frame, label: '#', detail: String(error) }));
        },
        complete: () => {
          const { frame } = this;
          recorded.push(() => ({ frame, label: '|' }));
        },
      }),
    );
    return (notation) => {
      ({ labelOf } = notation);
      expectation.expected = notation.expected;
    };
  }

  override flush(): void {
    super.flush();
    const ready = this.#expectations.filter(({ expected }) => expected !== undefined);
    this.#expectations = this.#expectations.filter(({ expected }) => expected === undefined);
    for (const { subject, expected = [], actual } of ready) {
      const moments = actual();
      if (!isAsExpected(expected, moments)) throw marbleAssertionError(subject, expected, moments);
    }
  }

  /** Throws `TypeError` for an expectation without a diagram, because it would always pass. */
  checkComplete(): void {
    const [forgotten] = this.#expectations;
    if (forgotten !== undefined)
      throw new TypeError(`${forgotten.subject} is not compared with a diagram; add .toBe(…)`);
  }

  /** Unsubscribes from all recorded streams. */
  unsubscribeAll(): void {
    this.#subscriptions.unsubscribe();
  }

  #follow(marbles: string | undefined, subscribe: () => Subscription): void {
    const { subscribedFrame, unsubscribedFrame } = TestScheduler.parseMarblesAsSubscriptions(marbles ?? null, true);
    const running = new Subscription();
    this.#subscriptions.add(running);
    this.schedule(() => running.add(subscribe()), subscribedFrame === Infinity ? 0 : subscribedFrame);
    if (unsubscribedFrame === Infinity) return;
    this.schedule(() => running.unsubscribe(), unsubscribedFrame);
  }
}

/** An entry of the arrays that rxjs's `expectObservable` compares. */
interface Message {
  readonly frame: number;
  readonly notification:
    | { readonly kind: 'N'; readonly value: unknown }
    | { readonly kind: 'E'; readonly error: unknown }
    | { readonly kind: 'C' };
}

/**
 * Compares the notifications that rxjs's own expectations recorded. The comparison is deep and
 * strict, so `{ a: undefined }` is not equal to `{}`. An expected value or error may be an
 * asymmetric matcher of the test runner, such as `expect.objectContaining`.
 *
 * @throws `RXI_MARBLE_ASSERTION` with the timeline
 */
function assertSameMessages(actual: unknown, expected: unknown): void {
  if (isDeepStrictEqual(actual, matched(actual, expected))) return;
  throw marbleAssertionError('the stream', toMoments(expected), toMoments(actual));
}

/** Returns the expected messages, with actual values in place of matchers that accept them. */
function matched(actual: unknown, expected: unknown): unknown {
  if (!Array.isArray(actual) || !Array.isArray(expected)) return expected;
  const received: readonly unknown[] = actual;
  return expected.map((entry: unknown, index) => {
    const other = received[index];
    return isMessage(entry) && isMessage(other) && accepts(entry, other)
      ? { ...entry, notification: other.notification }
      : entry;
  });
}

function accepts({ notification: expected }: Message, { notification: actual }: Message): boolean {
  if (expected.kind === 'N' && actual.kind === 'N') return isAccepted(expected.value, actual.value);
  return expected.kind === 'E' && actual.kind === 'E' && isAccepted(expected.error, actual.error);
}

function isAccepted(expected: unknown, actual: unknown): boolean {
  const { asymmetricMatch } = (expected ?? {}) as { readonly asymmetricMatch?: unknown };
  return typeof asymmetricMatch === 'function' && asymmetricMatch.call(expected, actual) === true;
}

/** Parses a diagram of rxjs in which each letter stands for one of `values`. */
export function valuesIn(diagram: string, values: Readonly<Record<string, unknown>>): Notation<unknown> {
  const messages = TestScheduler.parseMarbles(diagram, values, undefined, false, true);
  return { expected: toMoments(messages), labelOf: show };
}

function toMoments(recorded: unknown): readonly TimelineMoment[] {
  return (recorded as readonly unknown[]).flatMap((entry) =>
    isMessage(entry) ? [momentOf(entry)] : subscriptionOf(entry),
  );
}

function isMessage(entry: unknown): entry is Message {
  return typeof entry === 'object' && entry !== null && 'notification' in entry;
}

function momentOf({ frame, notification }: Message): TimelineMoment {
  switch (notification.kind) {
    case 'N':
      return { frame, label: show(notification.value) };
    case 'E':
      return { frame, label: '#', detail: show(notification.error) };
    case 'C':
      return { frame, label: '|' };
  }
}

function subscriptionOf(entry: unknown): readonly TimelineMoment[] {
  const { subscribedFrame, unsubscribedFrame } = entry as {
    readonly subscribedFrame: number;
    readonly unsubscribedFrame: number;
  };
  return [
    { frame: subscribedFrame, label: '^' },
    { frame: unsubscribedFrame, label: '!' },
  ];
}

function show(value: unknown): string {
  return value instanceof Error
    ? `${value.name}: ${value.message}`
    : inspect(value, { depth: 4, breakLength: Infinity });
}
