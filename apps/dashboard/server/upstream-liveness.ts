import { networkInterfaces } from 'node:os';
import { interval, type SchedulerLike, type Subscription } from 'rxjs';

/** A watch that is open or requested. */
export interface OpenStream {
  /**
   * The time of the scheduler at which bytes last went to the browser. `undefined` before the head
   * of the answer.
   */
  readonly lastAt: number | undefined;
  /** The address of this machine that the connection to the API server uses. */
  readonly localAddress: string | undefined;
  /** Sends an empty line, unless an event is incomplete. */
  beat(): void;
  breakOff(): void;
}

export interface UpstreamLivenessOptions {
  /**
   * The scheduler. It must tell the time of day, because other clocks stop while a machine sleeps.
   */
  readonly scheduler: SchedulerLike;
  /** Sends a small request to the API server. Any answer must be reported through `received`. */
  readonly probe: () => void;
  /** Closes every connection to the API server. */
  readonly giveUp: (reason: string) => void;
}

/** The longest silence of a watch in milliseconds, while the API server is alive. */
export const heartbeat = 5_000;
/** Milliseconds of silence after which the API server is probed. */
const doubtAfter = 4_000;
/** Milliseconds of silence after which no more empty lines are sent to the browser. */
const trustFor = 6_000;
/** Milliseconds of silence after which the connections to the API server are closed. */
const deadAfter = 10_000;
const lookEvery = 1_000;

/**
 * Detects a dead connection to the API server. A live API server may be silent for minutes, and a
 * dead connection is silent too.
 *
 * If a watch is silent for five seconds while the API server is alive, the browser receives an
 * empty line. Signs of life are bytes of any answer, and the answer to a probe, which is sent after
 * four seconds of silence. After ten seconds without a sign of life, all connections to the API
 * server are closed, so the browser notices the failure within that time. All connections are also
 * closed after this process was suspended. A single connection is closed when this machine no
 * longer has the address that the connection uses.
 *
 * **Guarantees**: no timer and no request while there is no watch.
 */
export class UpstreamLiveness {
  readonly #streams = new Set<OpenStream>();
  #looking: Subscription | undefined;
  #receivedAt = 0;
  #lookedAt = 0;
  #probedAt = 0;

  constructor(private readonly options: UpstreamLivenessOptions) {}

  /** Records a sign of life. */
  received(): void {
    this.#receivedAt = this.options.scheduler.now();
  }

  /** Monitors a stream until the returned function is called. */
  hold(stream: OpenStream): () => void {
    if (this.#streams.size === 0) this.#begin();
    this.#streams.add(stream);
    return () => {
      this.#streams.delete(stream);
      if (this.#streams.size === 0) this.#looking?.unsubscribe();
    };
  }

  #begin(): void {
    const { scheduler } = this.options;
    this.#lookedAt = scheduler.now();
    // The silence is measured from the start of the first stream.
    this.#receivedAt = this.#lookedAt;
    this.#probedAt = 0;
    this.#looking = interval(lookEvery, scheduler).subscribe(() => {
      this.#look(scheduler.now());
    });
  }

  #look(now: number): void {
    const late = now - this.#lookedAt - lookEvery;
    const silence = now - this.#receivedAt;
    this.#lookedAt = now;
    if (late > deadAfter) {
      this.#giveUp(now, 'this machine or this process was suspended');
      return;
    }
    if (silence >= deadAfter) {
      this.#giveUp(now, `the API server has sent nothing for ${deadAfter / 1_000} s`);
      return;
    }
    if (silence >= doubtAfter && now - this.#probedAt >= doubtAfter) {
      this.#probedAt = now;
      this.options.probe();
    }
    if (silence < trustFor) this.#beat(now);
  }

  #giveUp(now: number, reason: string): void {
    // Restarts the measurement of the silence for the next connections.
    this.#receivedAt = now;
    this.options.giveUp(reason);
    // The agent of a proxy has its own connections, which `giveUp` does not close. A watch whose
    // answer has not begun is answered with 502.
    for (const stream of [...this.#streams]) if (stream.lastAt !== undefined) stream.breakOff();
  }

  #beat(now: number): void {
    const due = [...this.#streams].filter(({ lastAt }) => lastAt !== undefined && now - lastAt >= heartbeat);
    if (due.length === 0) return;
    const addresses = new Set(Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address)));
    for (const stream of due) {
      const address = stream.localAddress?.replace(/^::ffff:/, '');
      if (address === undefined || addresses.has(address)) stream.beat();
      else stream.breakOff();
    }
  }
}
