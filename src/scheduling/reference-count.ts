import { Subscription, type SchedulerLike } from 'rxjs';
import { unreferenced } from './clock.js';

/** The resource that a `ReferenceCount` opens and closes. */
export interface Counted {
  open(): void;
  close(): void;
}

/**
 * Opens a resource with its first reference and closes it after its last, at once or after
 * lingering, so that navigating between two views does not relist. The timer keeps no Node process
 * alive.
 */
export class ReferenceCount {
  readonly #references = new Set<Subscription>();
  #isOpen = false;
  #lingers = true;
  #lingering: Subscription | undefined;

  /**
   * @param linger milliseconds; 0 closes synchronously, without a timer
   */
  constructor(
    private readonly counted: Counted,
    private readonly linger: number,
    private readonly scheduler: SchedulerLike,
  ) {}

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Is true while there is a reference; false while the resource lingers. */
  get isInUse(): boolean {
    return this.#references.size > 0;
  }

  /**
   * Takes a reference, which lasts until it is unsubscribed, or until `close` is called.
   *
   * @param holder releases the reference when it is closed. It must be passed here, because a
   *   source may emit while it is opened, and the holder may then unsubscribe before this returns.
   *   If the holder is closed already, no reference is taken: `combineLatest` and `withLatestFrom`
   *   subscribe to all inputs, even if one of them has failed already
   */
  retain(holder?: Subscription): Subscription {
    if (holder?.closed === true) return Subscription.EMPTY;
    const reference = new Subscription(() => {
      this.#release(reference);
    });
    this.#references.add(reference);
    holder?.add(reference);
    this.#lingering?.unsubscribe();
    this.#lingering = undefined;
    if (!this.#isOpen) {
      this.#isOpen = true;
      this.#lingers = true;
      this.counted.open();
    }
    return reference;
  }

  /** Closes at once if there is no reference, instead of lingering. */
  stopLingering(): void {
    this.#lingers = false;
    if (this.#references.size === 0) this.close();
  }

  /** Closes at once, with all references. A later `retain` opens again. */
  close(): void {
    this.#lingering?.unsubscribe();
    this.#lingering = undefined;
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const references = [...this.#references];
    this.#references.clear();
    this.counted.close();
    for (const reference of references) reference.unsubscribe();
  }

  #release(reference: Subscription): void {
    if (!this.#references.delete(reference) || this.#references.size > 0) return;
    if (this.linger <= 0 || !this.#lingers) {
      this.close();
      return;
    }
    this.#lingering = unreferenced(this.scheduler).schedule(() => {
      this.close();
    }, this.linger);
  }
}
