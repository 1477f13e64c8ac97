import { once, EventEmitter } from 'node:events';

/**
 * What the server remembers of the client that it serves; there is one at a time.
 *
 * Nothing happens in a watch before the client says that it is ready, with `POST /bench/start`: what it does with its first list
 * is over by then. When it leaves its watch, the next client finds everything as it was.
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

  /** True as often as a watch is to be answered with 410. */
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
