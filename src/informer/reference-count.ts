import { Subscription, timer, type SchedulerLike } from 'rxjs';

/** What a `ReferenceCount` opens and closes. */
export interface Counted {
  open(): void;
  close(): void;
}

/**
 * Opens something with its first reference and closes it with its last, at once or after lingering.
 *
 * A reference that is taken while it lingers keeps it open: navigating between two views does not relist.
 */
export class ReferenceCount {
  #references = 0;
  #isOpen = false;
  /** Counts the closings: what was held before one does not count after it. */
  #life = 0;
  #lingering: Subscription | undefined;

  /** @param linger milliseconds; 0 closes in the same moment, without a timer */
  constructor(
    private readonly counted: Counted,
    private readonly linger: number,
    private readonly scheduler: SchedulerLike,
  ) {}

  get isOpen(): boolean {
    return this.#isOpen;
  }

  retain(): Subscription {
    this.#references++;
    this.#lingering?.unsubscribe();
    this.#lingering = undefined;
    if (!this.#isOpen) {
      this.#isOpen = true;
      this.counted.open();
    }
    const life = this.#life;
    return new Subscription(() => {
      if (life === this.#life) this.#release();
    });
  }

  /** Closes now, whatever is still held; later releases of what was held then do nothing, a later `retain` opens again. */
  close(): void {
    this.#lingering?.unsubscribe();
    this.#lingering = undefined;
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#references = 0;
    this.#life++;
    this.counted.close();
  }

  #release(): void {
    this.#references--;
    if (this.#references > 0) return;
    if (this.linger <= 0) {
      this.close();
      return;
    }
    this.#lingering = timer(this.linger, this.scheduler).subscribe(() => {
      this.close();
    });
  }
}
