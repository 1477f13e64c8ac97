/**
 * Records when keys are added and run, and computes waits and overlaps. Times may have any unit.
 */
export class RunLedger {
  readonly #addedAt = new Map<string, number[]>();
  readonly #running = new Map<string, number>();
  readonly #waits: number[] = [];
  #additions = 0;
  #runs = 0;
  #overlaps = 0;

  /**
   * The time from each addition to the next start of a run of its key. One run may serve several
   * additions.
   */
  get waits(): readonly number[] {
    return this.#waits;
  }

  /** True if a run began after each addition, and all runs have ended. */
  get isSettled(): boolean {
    return this.#waits.length === this.#additions && this.#running.size === 0;
  }

  get additions(): number {
    return this.#additions;
  }

  get runs(): number {
    return this.#runs;
  }

  /** The number of runs that began during another run of the same key. */
  get overlaps(): number {
    return this.#overlaps;
  }

  added(key: string, at: number): void {
    this.#additions++;
    const times = this.#addedAt.get(key);
    if (times) times.push(at);
    else this.#addedAt.set(key, [at]);
  }

  started(key: string, at: number): void {
    this.#runs++;
    const running = this.#running.get(key) ?? 0;
    if (running > 0) this.#overlaps++;
    this.#running.set(key, running + 1);
    for (const time of this.#addedAt.get(key) ?? []) this.#waits.push(at - time);
    this.#addedAt.delete(key);
  }

  ended(key: string): void {
    const running = this.#running.get(key) ?? 0;
    if (running > 1) this.#running.set(key, running - 1);
    else this.#running.delete(key);
  }
}
