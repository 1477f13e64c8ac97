import { once, EventEmitter } from 'node:events';

/**
 * The state of the server for its client. There is one client at a time.
 *
 * A watch sends nothing until the client requests `POST /bench/start`. The client does so after it
 * has processed its first list. When the client ends its watch, the state is reset for the next
 * client.
 */
export class Session {
  readonly #expirations: number;
  readonly #starts = new EventEmitter();
  #hasStarted = false;
  #expired = 0;

  constructor(expirations: number) {
    this.#expirations = expirations;
  }

  start(): void {
    this.#hasStarted = true;
    this.#starts.emit('start');
  }

  async whenStarted(): Promise<void> {
    if (!this.#hasStarted) await once(this.#starts, 'start');
  }

  /** Returns true if the next watch must be answered with 410, and counts that answer. */
  expiresNext(): boolean {
    if (this.#expired >= this.#expirations) return false;
    this.#expired += 1;
    return true;
  }

  end(): void {
    this.#hasStarted = false;
    this.#expired = 0;
  }
}
