import { BehaviorSubject, map, of, Subject, type Observable } from 'rxjs';
import { type RxInformersError } from '../kubernetes/errors.js';
import type { ReferenceCount } from '../scheduling/reference-count.js';
import { inOrder } from '../scheduling/sliced-tasks.js';
import { whenEmitted } from '../scheduling/when-emitted.js';
import type { SourceStatus } from '../sources/model/watch-event.js';
import { notRunningError } from './errors.js';

/**
 * The status of a collection that is started and stopped: `stopped` between two runs. Statuses that
 * a subscriber causes are published after the present one.
 */
export class RunStatus {
  readonly #statuses = new BehaviorSubject<SourceStatus>({ state: 'stopped' });
  readonly #publish = inOrder<SourceStatus>((status) => this.#statuses.next(status));
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

  /** Rejects the promises of `whenEmitted`. Called when a run ends, before its status. */
  endRun(): void {
    this.#ended.next();
  }

  /**
   * Ends a run that has completed by itself. The status comes before the completion of the streams:
   * a subscriber that waits for a restart subscribes again on completion.
   *
   * @param isCurrent returns false if a subscriber has stopped the run, or has begun the next one
   */
  complete(isCurrent: () => boolean, log: { complete(): void }, references: ReferenceCount): void {
    this.endRun();
    this.set({ state: 'stopped' });
    if (isCurrent()) log.complete();
    if (isCurrent()) references.stopLingering();
  }

  /**
   * Resolves when `observed$` emits. Rejects with `RXI_NOT_RUNNING` if the run ends before, or if
   * `hasEnded` is true.
   */
  whenEmitted(
    observed$: Observable<void>,
    otherwise: RxInformersError<'RXI_NOT_RUNNING'>['when'],
    signal?: AbortSignal,
    hasEnded = false,
  ): Promise<void> {
    const ended$: Observable<unknown> = hasEnded ? of(undefined) : this.#ended;
    return whenEmitted(observed$, { signal, failed$: ended$.pipe(map(() => notRunningError(otherwise))) });
  }
}
