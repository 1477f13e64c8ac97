import type { SchedulerLike } from 'rxjs';
import { Alarm, unreferenced } from '../../../scheduling/clock.js';

/** The interval of checks, in milliseconds. */
const checkInterval = 2_000;
/**
 * The number of silent checks in a row after which the connection is given up, at most 8 s after
 * the last byte. The first silent check sends a PING.
 */
const lastSilentCheck = 3;

/** A connection, as its checks see it. */
export interface CheckedConnection {
  readonly bytesRead: number;
  /** Sends a PING. `onAnswer` is called when the server responds to it. */
  ping(onAnswer: () => void): void;
  /** Calls `work` when the data that has arrived meanwhile is read. */
  afterReading(work: () => void): void;
  /** Closes the connection, which has not responded to a PING for `silence` milliseconds. */
  giveUp(silence: number): void;
}

/**
 * Gives up a connection that does not respond to a PING.
 *
 * It compares the number of read bytes from time to time, so a chunk costs nothing, and sends
 * nothing while bytes arrive. Checks go on while there are streams, and until the last PING is
 * answered: if no byte has arrived since the newest stream was opened, a PING is sent when the last
 * stream ends. So streams that time out early do not hide a dead connection.
 *
 * Only the socket keeps the process alive, while there are streams; the timer does not.
 */
export class Http2Liveness {
  readonly #alarm: Alarm;
  #hasStreams = false;
  #awaitsAnswer = false;
  #hasEnded = false;
  #bytesAtOpening = 0;
  #bytesRead = 0;
  #silentChecks = 0;

  constructor(
    private readonly connection: CheckedConnection,
    private readonly scheduler: SchedulerLike,
  ) {
    this.#alarm = new Alarm(() => this.#check(), unreferenced(scheduler));
  }

  /** Begins the checks with the first stream. Call it for each new stream. */
  streamOpened(): void {
    const isChecked = this.#hasStreams || this.#awaitsAnswer;
    this.#hasStreams = true;
    this.#bytesAtOpening = this.connection.bytesRead;
    if (!isChecked) this.#continueFrom(0);
  }

  /** Ends the checks after the last stream, when the server has proved that it is alive. */
  lastStreamClosed(): void {
    this.#hasStreams = false;
    if (this.#awaitsAnswer) return;
    if (this.connection.bytesRead !== this.#bytesAtOpening) {
      this.#alarm.set();
      return;
    }
    this.#ping();
    this.#continueFrom(1);
  }

  /** Ends the checks, because the connection is closed. */
  end(): void {
    this.#hasEnded = true;
    this.#alarm.set();
  }

  #continueFrom(silentChecks: number): void {
    this.#bytesRead = this.connection.bytesRead;
    this.#silentChecks = silentChecks;
    this.#alarm.set(this.scheduler.now() + checkInterval);
  }

  #check(): void {
    const { bytesRead } = this.connection;
    const silentChecks = bytesRead === this.#bytesRead ? this.#silentChecks + 1 : 0;
    if (silentChecks === 1 && !this.#awaitsAnswer) this.#ping();
    if (silentChecks < lastSilentCheck) this.#continueFrom(silentChecks);
    // This process may have been busy, so data that arrived meanwhile is read first.
    else this.connection.afterReading(() => this.#judge(bytesRead));
  }

  #ping(): void {
    this.#awaitsAnswer = true;
    this.connection.ping(() => {
      this.#awaitsAnswer = false;
      if (!this.#hasStreams) this.#alarm.set();
    });
  }

  #judge(bytesRead: number): void {
    if (this.#hasEnded) return;
    if (this.connection.bytesRead === bytesRead) this.connection.giveUp((lastSilentCheck - 1) * checkInterval);
    else if (this.#hasStreams || this.#awaitsAnswer) this.#continueFrom(0);
  }
}
