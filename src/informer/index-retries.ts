import { timer, type SchedulerLike, type Subscription } from 'rxjs';
import type { Backoff } from '../sources/backoff.js';
import { guardedBackoff, guardedRandom } from '../sources/guarded.js';
import type { Slices } from '../store/slices.js';
import { IndexFunctionError } from '../store/errors.js';
import type { CommitLog } from './commit-log.js';
import type { InformerError } from './errors.js';
import type { SlicedTasks } from './sliced-tasks.js';
import { steady } from '../time/steady.js';
import { defaultRelistBackoff, sensibleWait } from './source-runner.js';

/**
 * Calls index functions again for the objects for which they failed, after a wait that grows for as long as they fail. The store
 * holds these objects as the server has them, so the source is not asked for anything (G4).
 */
export class IndexRetries<T> {
  readonly #keys = new Set<string>();
  readonly #backoff: Backoff;
  readonly #random: () => number;
  #waiting: Subscription | undefined;
  #attempt = 0;
  /** Counts runs of the informer: what belongs to an earlier one is over. */
  #run = 0;

  constructor(
    private readonly log: CommitLog<T>,
    private readonly tasks: SlicedTasks,
    private readonly report: (error: InformerError) => void,
    private readonly options: {
      readonly relistBackoff?: Backoff | undefined;
      readonly scheduler?: SchedulerLike | undefined;
      readonly random?: (() => number) | undefined;
    },
  ) {
    const { relistBackoff = defaultRelistBackoff, random = Math.random } = options;
    this.#backoff = guardedBackoff('relistBackoff', relistBackoff, report, defaultRelistBackoff);
    this.#random = guardedRandom(random, report);
  }

  /** Adds the objects of which `errors` say that an index function failed; earlier ones do not wait longer for it. */
  add(errors: readonly unknown[]): void {
    for (const error of errors) if (error instanceof IndexFunctionError) this.#keys.add(error.key);
    if (this.#keys.size === 0 || this.#waiting?.closed === false) return;
    this.#attempt++;
    const run = this.#run;
    const wait = sensibleWait(this.#backoff(this.#attempt, this.#random()));
    // An error of `relistBackoff` may have been reported to a subscriber that stopped the informer.
    if (this.#run !== run) return;
    this.#waiting = timer(wait, steady(this.options.scheduler)).subscribe(() => {
      this.#waiting = undefined;
      this.tasks.run(() => this.#indexAgain());
    });
  }

  clear(): void {
    this.#run++;
    this.#waiting?.unsubscribe();
    this.#waiting = undefined;
    this.#keys.clear();
    this.#attempt = 0;
  }

  *#indexAgain(): Slices<() => void> {
    const keys = [...this.#keys];
    this.#keys.clear();
    const commit = yield* this.log.prepareIndexing(keys);
    return () => {
      const run = this.#run;
      this.log.commit(commit);
      for (const error of commit.errors) this.report(error);
      if (this.#run !== run) return;
      if (commit.errors.length === 0) this.#attempt = 0;
      this.add(commit.errors);
    };
  }
}
