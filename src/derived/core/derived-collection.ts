import { combineLatest, isObservable, of, Subscription, type Observable, type SchedulerLike } from 'rxjs';
import type { Collection, CollectionOptions } from '../../collections/collection.js';
import { type InformerError, notRunningError } from '../../collections/errors.js';
import { unnamedIndexer } from '../../collections/indexer.js';
import { type CollectionInternals, internalsOf, LogCollection } from '../../collections/log-collection.js';
import {
  collectionOptionNames,
  ErrorStream,
  SlowSubscribers,
  type ReportOptions,
  type SlowSubscriberOptions,
} from '../../collections/reports.js';
import { RunStatus } from '../../collections/run-status.js';
import { informerDefaults } from '../../informer/informer-options.js';
import { checkLater, development, warnOfMistake } from '../../kubernetes/development.js';
import { invalidOptionError } from '../../kubernetes/errors.js';
import { checkedDuration, steady } from '../../scheduling/clock.js';
import { ReferenceCount } from '../../scheduling/reference-count.js';
import type { MergeOptions } from '../../sources/merge/merge-sources.js';
import { leastHealthy, isEqualStatusEvent } from '../../sources/merge/merge-state.js';
import { checkNames } from '../../sources/model/checked-options.js';
import type { SourceStatus } from '../../sources/model/watch-event.js';
import type { Indexers } from '../../store/index-functions.js';
import type { SnapshotOptions } from '../../store/snapshot-draft.js';
import type { Derivation, Inputs } from './derivation.js';
import { DerivedNode, type GraphNodeOptions } from './derived-node.js';

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
export interface DerivedCollection<R, I extends string = string> extends Collection<R, I> {
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
   * @throws `RXI_INDEXER_CONFLICT` if a name is in use; then no index is added
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
  /**
   * The states in which an input does not hold back the first rows. Default `[]`: the first rows
   * wait for every input, so an absent row means an absent object (J4).
   *
   * With `['forbidden', 'not-found']`, an input that is not allowed to list (401, 403), or whose
   * kind is not installed (404), counts as synced and empty after its first failure. With
   * `'backing-off'`, the same holds for an input that cannot be reached. When it can be read, its
   * objects are added. `status$` reports the state. The cost: an object that is not in the rows may
   * exist. So do not use this for a controller that deletes things because a row is absent.
   */
  readonly startWithout?: MergeOptions['startWithout'] | undefined;
  /** For `linger` and pauses in long computations. Default: that of the first input. */
  readonly scheduler?: SchedulerLike | undefined;
}

/** The definition of an operator. */
export interface Operator<Ts extends readonly unknown[], R>
  extends SnapshotOptions, Pick<GraphNodeOptions<Ts, R>, 'shareStructure'> {
  /** The name of the operator in errors, such as `leftJoin`. */
  readonly operator: string;
  readonly inputs: Inputs<Ts>;
  /** The names of the inputs in the call, for messages about inputs without a name of their own. */
  readonly inputNames?: readonly string[];
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
  const names = () => ({ ...collectionOptionNames, indexers: 1, linger: 1, startWithout: 1, scheduler: 1 }) as const;
  checkNames<DerivedOptions<never>>(`an option of ${operator.operator}`, options, names);
  return new NodeCollection<Ts, R, I>(operator, options);
}

/** Reports inputs without content that the caller adds the objects to. */
function reportUnfilled(name: string, inputs: readonly CollectionInternals<unknown>[], names: readonly string[]): void {
  const isUnfilled = ({ isFilledByCaller, log }: CollectionInternals<unknown>): boolean =>
    isFilledByCaller === true && log.latest.version === 0;
  const empty = names.filter((_, position) => isUnfilled(inputs[position] as CollectionInternals<unknown>));
  if (empty.length === 0) return;
  warnOfMistake(
    `${name} does not sync, because it waits for the first content of ${empty.join(', ')}. Add objects to it, or call replace([]) if there are none.`,
  );
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
    if (first === undefined)
      throw invalidOptionError(`the argument of ${operator.operator}`, collections, 'at least one collection');
    const scheduler = options.scheduler === undefined ? first.log.scheduler : steady(options.scheduler);
    const names = inputs.map((input, position) =>
      input.name === unnamedIndexer ? (operator.inputNames?.[position] ?? input.name) : input.name,
    );
    const name = options.name ?? `${operator.operator}(${names.join(', ')})`;
    const errors: ErrorStream = new ErrorStream({ ...options, name }, scheduler, () => references.isInUse);
    const { derivation } = operator;
    const skippedStates = new Set<SourceStatus['state']>(options.startWithout);
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
              if (!run.closed) node.startWithout(all.map(({ state }) => skippedStates.has(state)));
              if (worst === undefined || run.closed) return;
              if (!isEqualStatusEvent(worst, { type: 'STATUS', status: this.status })) this.#status.set(worst.status);
            }),
          );
          if (!run.closed) node.open();
          // The form of `isDevelopment` that a bundler can evaluate: see there.
          try {
            if (process.env.NODE_ENV !== 'production') throw development;
          } catch {
            run.add(checkLater(() => reportUnfilled(name, inputs, names), 10));
          }
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
      hasStarted: () => this.#following !== Subscription.EMPTY,
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
    if (!this.isRunning || this.#node.log.isComplete) return Promise.reject(notRunningError('never-started'));
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
    const run = this.#following;
    run.unsubscribe();
    const isCurrent = (): boolean => this.#references.isOpen && this.#following === run;
    this.#status.complete(isCurrent, this.#node.log, this.#references);
  }
}
