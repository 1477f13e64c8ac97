import { BehaviorSubject, map, of, Subject, type Observable } from 'rxjs';
import { whenEmitted } from '../scheduling/on-abort.js';
import { inOrder } from '../scheduling/sliced-tasks.js';
import type { SourceStatus } from '../sources/model/watch-event.js';
import { NotRunningError } from './errors.js';

/**
 * The status of a collection that is started and stopped: `stopped` between two runs. Statuses that
 * a subscriber causes are published after the present one.
 */
export class RunStatus {
  readonly #statuses = new BehaviorSubject<SourceStatus>({ state: 'stopped' });
  readonly #publish = inOrder<SourceStatus>((status) => {
    this.#statuses.next(status);
  });
  /** Emits when a run ends. It may emit before `status$`, which may still have to deliver. */
  readonly #ended = new Subject<void>();
  readonly status$: Observable<SourceStatus> = this.#statuses.asObservable();
  #current: SourceStatus = this.#statuses.value;

  get current(): SourceStatus {
    return this.#current;
  }

  set(status: SourceStatus): void {
    if (status.state === 'stopped' && this.#current.state === 'stopped') return;
    this.#current = status;
    this.#publish(status);
  }

  /** Rejects the promises of `whenEmitted`. Called when a run ends, before or after its status. */
  endRun(): void {
    this.#ended.next();
  }

  /**
   * Resolves when `observed$` emits. Rejects with `NotRunningError` if the run ends before, or if
   * `hasEnded` is true.
   */
  whenEmitted(
    observed$: Observable<void>,
    otherwise: NotRunningError['when'],
    signal?: AbortSignal,
    hasEnded = false,
  ): Promise<void> {
    const ended$: Observable<unknown> = hasEnded ? of(undefined) : this.#ended;
    return whenEmitted(observed$, { signal, failed$: ended$.pipe(map(() => new NotRunningError(otherwise))) });
  }
}
