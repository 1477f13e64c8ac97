import { combineLatest, isObservable, of, Subscription, type Observable, type SchedulerLike } from 'rxjs';
import type { Collection, CollectionOptions } from '../../collections/collection.js';
import { NotRunningError, type InformerError } from '../../collections/errors.js';
import { internalsOf, LogCollection } from '../../collections/log-collection.js';
import {
  collectionOptionNames,
  ErrorStream,
  SlowSubscribers,
  type ReportOptions,
  type SlowSubscriberOptions,
} from '../../collections/reports.js';
import { RunStatus } from '../../collections/run-status.js';
import { informerDefaults } from '../../informer/informer-options.js';
import { checkedDuration, steady } from '../../scheduling/clock.js';
import { ReferenceCount } from '../../scheduling/reference-count.js';
import { leastHealthy, saysTheSame } from '../../sources/merge/merge-state.js';
import { checkNames, type NamesOf } from '../../sources/model/checked-options.js';
import type { SourceStatus } from '../../sources/model/watch-event.js';
import type { Indexers } from '../../store/index-functions.js';
import type { KeepOptions } from '../../store/indexed-snapshot.js';
import type { Reads } from '../../store/snapshot.js';
import type { Derivation, Inputs } from './derivation.js';
import { DerivedNode } from './node.js';

/**
 * A collection whose rows are computed from other collections. After each commit, the rows are the
 * same as if they were computed from scratch.
 *
 * Like an informer, it runs while it has a subscriber or a connection, and for 1 s after the last
 * of them has left. While it runs, it keeps its inputs running. Subscribing to `status$`, `errors$`
 * or `synced$` does not start it.
 *
 * **Guarantees**: J1–J8, and all guarantees of an informer about reads and streams.
 */
export interface DerivedCollection<R, I extends string = string> extends Collection<R, I>, Reads<R, I> {
  /** Keeps the collection, and its inputs, running until the subscription is closed. */
  connect(): Subscription;
  /**
   * Stops the collection now: all streams complete, and the rows are dropped. Its inputs stop if
   * nothing else keeps them running. The next subscriber starts it again.
   */
  stop(): void;
  /**
   * Adds indexes. It can be called at any time. The existing rows are indexed at once, and no
   * change is emitted (S11).
   *
   * @returns the same collection, with the new index names in its type
   * @throws `IndexerConflictError` if a name is in use; then no index is added
   */
  addIndexers<J extends string>(indexers: Indexers<R, J>): DerivedCollection<R, I | J>;
}

/** Options of every operator of `rx-informers/derived`. */
export interface DerivedOptions<R, I extends string = never>
  extends CollectionOptions, ReportOptions, SlowSubscriberOptions {
  /** Index functions by name. Default: none. A changed row costs one call of each. */
  readonly indexers?: Indexers<R, I> | undefined;
  /** Milliseconds to run without subscribers. Default 1,000, as for `informer`. */
  readonly linger?: number | undefined;
  /** For `linger` and pauses in long computations. Default: that of the first input. */
  readonly scheduler?: SchedulerLike | undefined;
}

const derivedOptionNames: NamesOf<DerivedOptions<never>> = {
  ...collectionOptionNames,
  indexers: 1,
  linger: 1,
  scheduler: 1,
};

/** The definition of an operator. */
export interface Operator<Ts extends readonly unknown[], R> extends KeepOptions {
  /** The name of the operator in errors, such as `leftJoin`. */
  readonly operator: string;
  readonly inputs: Inputs<Ts>;
  /** True if keys of rows begin with a partition. Default: as those of the first input. */
  readonly isPartitioned?: boolean;
  /**
   * Creates the derivation of one run. An Observable emits a new function whenever the parameters
   * of the operator change; then all rows are computed again.
   */
  readonly derivation: (() => Derivation<Ts, R>) | Observable<() => Derivation<Ts, R>>;
}

/** Creates a derived collection from the definition of an operator. */
export function derivedCollection<const Ts extends readonly unknown[], R, I extends string>(
  operator: Operator<Ts, R>,
  options: DerivedOptions<R, I>,
): DerivedCollection<R, I> {
  checkNames(`an option of ${operator.operator}`, options, derivedOptionNames);
  return new NodeCollection<Ts, R, I>(operator, options);
}

class NodeCollection<Ts extends readonly unknown[], R, I extends string>
  extends LogCollection<R, I>
  implements DerivedCollection<R, I>
{
  readonly errors$: Observable<InformerError>;
  readonly status$: Observable<SourceStatus>;
  readonly #status = new RunStatus();
  /** The present run. While it is open, it follows the statuses of the inputs. */
  #following = Subscription.EMPTY;
  readonly #node: DerivedNode<Ts, R>;
  readonly #references: ReferenceCount;
  readonly #report: (error: InformerError) => void;

  constructor(operator: Operator<Ts, R>, options: DerivedOptions<R, I>) {
    const collections = operator.inputs as readonly Collection<unknown>[];
    const inputs = collections.map((collection) => internalsOf(collection));
    const [first] = inputs;
    if (first === undefined) throw new TypeError(`${operator.operator}: pass at least one collection`);
    const scheduler = options.scheduler === undefined ? first.log.scheduler : steady(options.scheduler);
    const name = options.name ?? `${operator.operator}(${inputs.map((input) => input.name).join(', ')})`;
    const errors: ErrorStream = new ErrorStream({ ...options, name }, scheduler, () => references.isInUse);
    const { derivation } = operator;
    const node = new DerivedNode<Ts, R>(
      {
        ...operator,
        name,
        inputs,
        scheduler,
        indexers: options.indexers ?? {},
        derivations$: isObservable(derivation) ? derivation : of(derivation),
      },
      {
        error: errors.report,
        ended: (how) => {
          this.#ended(how);
        },
      },
    );
    const references = new ReferenceCount(
      {
        open: () => {
          // A subscriber of `status$` or of an input may stop the collection while it starts.
          const run = new Subscription();
          this.#following = run;
          run.add(
            combineLatest(collections.map(({ status$ }) => status$)).subscribe((all) => {
              const worst = leastHealthy(all.map((status) => ({ type: 'STATUS', status })));
              if (worst === undefined || run.closed) return;
              if (!saysTheSame(worst, { type: 'STATUS', status: this.status })) this.#status.set(worst.status);
            }),
          );
          if (!run.closed) node.open();
        },
        close: () => {
          this.#following.unsubscribe();
          node.close();
          this.#status.endRun();
          if (!references.isOpen) this.#status.set({ state: 'stopped' });
        },
      },
      checkedDuration('linger', options.linger ?? informerDefaults.linger),
      scheduler,
    );
    const slow = new SlowSubscribers({ ...options, name }, scheduler);
    super({
      name,
      inputs,
      resource: options.resource,
      log: node.log,
      retain: (holder) => references.retain(holder),
      report: errors.report,
      slow,
      scheduler,
      isPartitioned: operator.isPartitioned ?? first.isPartitioned,
    });
    this.#node = node;
    this.#references = references;
    this.#report = errors.report;
    this.errors$ = errors.errors$;
    this.status$ = this.#status.status$;
  }

  override get isRunning(): boolean {
    return this.#references.isOpen;
  }

  override get status(): SourceStatus {
    return this.#status.current;
  }

  connect(): Subscription {
    return this.#references.retain();
  }

  stop(): void {
    const complete = this.#node.log.detach();
    this.#references.close();
    complete();
  }

  override whenSynced({ signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    if (this.hasSynced) return Promise.resolve();
    if (!this.isRunning || this.#node.log.isComplete) return Promise.reject(new NotRunningError('never-started'));
    return this.#status.whenEmitted(this.synced$, 'stopped-before-synced', signal);
  }

  addIndexers<J extends string>(indexers: Indexers<R, J>): DerivedCollection<R, I | J> {
    this.#node.log.addIndexers(indexers, this.#report);
    this.#node.restartBuilding();
    return this as unknown as DerivedCollection<R, I | J>;
  }

  #ended(how: 'stopped' | 'completed'): void {
    if (how === 'stopped') {
      this.stop();
      return;
    }
    // The status first, as for an informer: who waits for a restart subscribes on completion.
    const run = this.#following;
    run.unsubscribe();
    this.#status.set({ state: 'stopped' });
    // A subscriber of the status may have stopped this run.
    if (!this.#references.isOpen || this.#following !== run) return;
    this.#node.log.complete();
    this.#status.endRun();
    this.#references.stopLingering();
  }
}
