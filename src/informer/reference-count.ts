import { Subscription, type SchedulerLike } from 'rxjs';

/** What a `ReferenceCount` opens and closes. */
export interface Counted {
  open(): void;
  close(): void;
}

/**
 * Opens something with its first reference and closes it with its last, at once or after lingering.
 *
 * A reference that is taken while it lingers keeps it open: navigating between two views does not
 * relist. The timer of lingering does not keep a Node process alive.
 */
export class ReferenceCount {
  readonly #references = new Set<Subscription>();
  #isOpen = false;
  #lingers = true;
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

  /** False while it lingers. */
  get isInUse(): boolean {
    return this.#references.size > 0;
  }

  /**
   * Takes a reference, until it is unsubscribed or closed by `close`.
   *
   * @param holder lets go of it when it is closed; it is given here, and not afterwards, because what is being opened may have
   * said all that the holder wants to hear before this returns
   */
  retain(holder?: Subscription): Subscription {
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

  /** Closes with the last reference, at once, this time: there is nothing left to linger for. */
  stopLingering(): void {
    this.#lingers = false;
    if (this.#references.size === 0) this.close();
  }

  /** Closes now, and every reference with it; a later `retain` opens again. */
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
    this.#lingering = this.scheduler.schedule(() => {
      this.close();
    }, this.linger);
    unreference(this.#lingering);
  }
}

/**
 * Lets Node exit while a timer of `asyncScheduler` is pending. The timer still fires if something
 * else keeps the process alive. In browsers, and with other schedulers, there is nothing to do.
 */
function unreference(action: Subscription): void {
  const { id } = action as { readonly id?: { readonly unref?: () => void } };
  if (typeof id === 'object') id.unref?.();
}
