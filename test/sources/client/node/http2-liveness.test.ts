import fc from 'fast-check';
import { virtualClock, type VirtualClock } from 'rx-informers/testing';
import { asyncScheduler, type SchedulerLike, type Subscription } from 'rxjs';
import { Http2Liveness } from '../../../../src/sources/client/node/http2-liveness.js';
import { promisesSettled } from '../../../support/promises-settled.js';

/** One exchange. All times are in milliseconds. */
interface Exchange {
  /** The time since the start of the exchange before it. */
  readonly startsAfter: number;
  /** The caller gives up after this time. */
  readonly limit: number;
  readonly answerAfter: number;
  /** If true, the answer is the head of a watch, which stays open until its time limit. */
  readonly isWatch: boolean;
}

interface Scenario {
  readonly exchanges: readonly Exchange[];
  /** The time between a PING and its answer. */
  readonly pingTime: number;
  /** The time at which the connection dies: nothing arrives from then on. */
  readonly diesAt: number;
}

/** The most that may pass between the death of a connection in use and its end (G6). */
const maxSilence = 10_000;

/** A connection in virtual time, with the exchanges of a scenario. */
class ModelConnection {
  readonly clock: VirtualClock = virtualClock();
  bytesRead = 0;
  pings = 0;
  endedAt = Infinity;
  /** The time for which the dead connection had streams. */
  silentUse = 0;
  /** The start of the first stream that began on the dead connection. */
  firstDeadStart = Infinity;
  #streams = 0;
  #usedSince = 0;
  readonly #liveness = new Http2Liveness(this, this.clock);

  constructor(private readonly scenario: Scenario) {
    let at = 0;
    for (const exchange of scenario.exchanges) {
      at += exchange.startsAfter;
      this.clock.schedule(() => this.#open(exchange), at);
    }
  }

  ping(onAnswer: () => void): void {
    this.pings++;
    this.#later(onAnswer, this.scenario.pingTime);
  }

  afterReading(work: () => void): void {
    this.clock.schedule(work, 0);
  }

  giveUp(): void {
    this.#noteUse();
    this.endedAt = this.clock.now();
    this.#liveness.end();
  }

  #open({ limit, answerAfter, isWatch }: Exchange): void {
    if (this.endedAt < Infinity) return;
    this.#noteUse();
    if (this.clock.now() >= this.scenario.diesAt) this.firstDeadStart = Math.min(this.firstDeadStart, this.clock.now());
    this.#streams++;
    this.#liveness.streamOpened();
    const timer = this.clock.schedule(() => this.#close(), limit);
    if (answerAfter >= limit) return;
    this.#later(() => {
      if (isWatch) return;
      timer.unsubscribe();
      this.#close();
    }, answerAfter);
  }

  #close(): void {
    if (this.endedAt < Infinity) return;
    this.#noteUse();
    if (--this.#streams === 0) this.#liveness.lastStreamClosed();
  }

  #noteUse(): void {
    const now = this.clock.now();
    if (this.#streams > 0) this.silentUse += Math.max(0, now - Math.max(this.#usedSince, this.scenario.diesAt));
    this.#usedSince = now;
  }

  /** Reads a byte after some time, unless the connection is dead by then. */
  #later(onRead: () => void, after: number): void {
    this.clock.schedule(() => {
      if (this.clock.now() >= this.scenario.diesAt) return;
      this.bytesRead++;
      onRead();
    }, after);
  }
}

const upTo = (most: number): fc.Arbitrary<number> => fc.integer({ min: 0, max: most });

const exchanges = fc.array(
  fc.record({
    startsAfter: fc.oneof(upTo(500), upTo(8_000), upTo(70_000)),
    limit: fc.oneof(fc.integer({ min: 1, max: 2_000 }), fc.integer({ min: 1, max: 6_000 }), upTo(300_000)),
    answerAfter: fc.oneof(upTo(100), upTo(60_000)),
    isWatch: fc.boolean(),
  }),
  { minLength: 1, maxLength: 30 },
);
const pingTime = fc.oneof(upTo(100), upTo(3_900));

function run(scenario: Scenario): ModelConnection {
  const connection = new ModelConnection(scenario);
  connection.clock.flush();
  return connection;
}

describe('the checks of an HTTP/2 connection', () => {
  it('G6: end a dead connection after at most 10 seconds of use, in every mixture of streams and time limits', () => {
    fc.assert(
      fc.property(exchanges, pingTime, upTo(100_000), (mixture, time, diesAt) => {
        const connection = run({ exchanges: mixture, pingTime: time, diesAt });

        expect(connection.silentUse).toBeLessThanOrEqual(maxSilence);
        // Infinity - Infinity is NaN: no stream began after the death, or the connection lives on.
        expect(connection.endedAt - connection.firstDeadStart > maxSilence).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it('never end a connection that answers PINGs, although its responses take up to 60 seconds', () => {
    fc.assert(
      fc.property(exchanges, pingTime, (mixture, time) => {
        expect(run({ exchanges: mixture, pingTime: time, diesAt: Infinity }).endedAt).toBe(Infinity);
      }),
      { numRuns: 500 },
    );
  });

  it.each([1_000, 1_999, 3_000, 5_000, 6_000])(
    'G6: end a dead connection whose requests all time out after %d ms, as those of leader election do',
    (limit) => {
      const request = { startsAfter: limit + 500, limit, answerAfter: Infinity, isWatch: false };

      const { endedAt, firstDeadStart } = run({ exchanges: Array(20).fill(request), pingTime: 1, diesAt: 0 });

      expect(endedAt - firstDeadStart).toBeLessThanOrEqual(maxSilence);
    },
  );

  it('do not keep a process alive: a stream does', async () => {
    const timers: boolean[] = [];
    const scheduler = {
      now: () => asyncScheduler.now(),
      schedule: (...scheduled: Parameters<SchedulerLike['schedule']>) => {
        const action = asyncScheduler.schedule(...scheduled) as Subscription & { id: NodeJS.Timeout };
        queueMicrotask(() => timers.push(action.id.hasRef()));
        return action;
      },
    };
    const silent = { bytesRead: 0, ping: () => undefined, afterReading: () => undefined, giveUp: () => undefined };
    const liveness = new Http2Liveness(silent, scheduler as SchedulerLike);

    liveness.streamOpened();
    await promisesSettled();

    expect(timers).toEqual([false]);
    liveness.end();
  });
});
