import type { MonoTypeOperatorFunction, Observable } from 'rxjs';
import { holdWhile, type Pending } from './hold-while.js';

/**
 * Holds back the latest value while `paused$` says so, and gives it when that ends: a tab that nobody sees draws nothing, and has caught up
 * with one value when it is looked at again.
 *
 * | | while not paused | while paused |
 * | --- | --- | --- |
 * | a value | passes | is kept instead of the one before |
 * | completion | passes | waits, after what is kept |
 * | an error | passes | passes at once; what is kept is dropped |
 *
 * It is not paused before `paused$` has said so, and not any more when that completes: nothing is held for ever.
 *
 * **Guarantees**: holds one value; one emission when the pause ends, none if nothing came; the source stays subscribed to, so a cache keeps up.
 * **Does not guarantee**: that values between are seen (`pauseChangesWhile` adds up changes).
 * **Errors**: those of the source and of `paused$`.
 *
 * @example
 * podInformer.list$().pipe(pauseWhile(tabHidden$()), coalesceFrames()).subscribe((pods) => console.log(pods.length));
 */
export function pauseWhile<T>(paused$: Observable<boolean>): MonoTypeOperatorFunction<T> {
  return holdWhile(paused$, () => new Latest<T>());
}

class Latest<T> implements Pending<T> {
  #held: { readonly value: T } | undefined;

  get hasNews(): boolean {
    return this.#held !== undefined;
  }

  add(value: T): void {
    this.#held = { value };
  }

  take(): T {
    const { value } = this.#held as { readonly value: T };
    this.#held = undefined;
    return value;
  }
}
