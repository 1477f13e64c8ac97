import { sharedByCopies } from '../../kubernetes/shared-by-copies.js';

/** Says that a run did no work, or was given up; made by `skipped`. */
export class Skipped {
  readonly #because: string;

  constructor(because: string) {
    this.#because = because;
  }

  /** Why, as a short text that does not vary from run to run. */
  get because(): string {
    return this.#because;
  }
}

sharedByCopies({ Skipped });

/**
 * Returns what a run emits, as its last value, if it did no work, or was given up, because its key
 * is not for this replica.
 */
export function skipped(because: string): Skipped {
  return new Skipped(because);
}
