import { Subscription, timer, type SchedulerLike } from 'rxjs';

/** The number of viewers that receive their first objects at the same time. */
const maxTurns = 16;

/** Milliseconds after which a turn ends, although its viewer has not acknowledged everything. */
const longestTurn = 10_000;

/**
 * Limits how many viewers receive all objects at the same time. Without a limit, the memory of a
 * hub to which 1,000 viewers connect at once would hold what waits for each of them.
 */
export class Turns {
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  constructor(private readonly scheduler: SchedulerLike) {}

  /**
   * Calls `begin` when it is the turn of a viewer, at once if there is one. The turn ends when
   * `begin` calls its argument, when the result is unsubscribed, or after ten seconds.
   */
  take(begin: (end: () => void) => void): Subscription {
    const turn = new Subscription();
    const start = (): void => {
      this.#waiting.delete(start);
      this.#taken++;
      const patience = timer(longestTurn, this.scheduler).subscribe(() => turn.unsubscribe());
      turn.add(patience);
      turn.add(() => {
        this.#taken--;
        this.#startNext();
      });
      begin(() => turn.unsubscribe());
    };
    turn.add(() => this.#waiting.delete(start));
    this.#waiting.add(start);
    this.#startNext();
    return turn;
  }

  #startNext(): void {
    for (const start of this.#waiting) {
      if (this.#taken >= maxTurns) return;
      start();
    }
  }
}
