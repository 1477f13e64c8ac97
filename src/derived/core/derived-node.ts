import { Subscription, type Observable, type SchedulerLike } from 'rxjs';
import { CommitLog, keysOfPending, type Commits, type Dependent, type Settled } from '../../collections/commit-log.js';
import type { InformerError } from '../../collections/errors.js';
import type { Announcement } from '../../collections/listeners.js';
import type { CollectionInternals } from '../../collections/log-collection.js';
import { resourceVersionOf } from '../../kubernetes/object.js';
import { shareRow } from '../../kubernetes/share-structure.js';
import { wallTime } from '../../scheduling/clock.js';
import { SlicedTasks } from '../../scheduling/sliced-tasks.js';
import type { Slices } from '../../scheduling/slices.js';
import type { ChangeReason } from '../../store/change.js';
import { derivedRowError } from '../../store/errors.js';
import type { Indexers } from '../../store/index-functions.js';
import type { IndexedSnapshot } from '../../store/indexed-snapshot.js';
import { pureFunctions, type PureFunctions } from '../../store/pure-function.js';
import { keepingOf, type Keeping, type SnapshotOptions } from '../../store/snapshot-draft.js';
import type { IndexedCommit } from '../../store/stages.js';
import type { Derivation, InputChange, InputChanges, Versions } from './derivation.js';
import { RowDraft } from './row-draft.js';

/** The parts of a node. */
export interface GraphNodeOptions<Ts extends readonly unknown[], R> extends SnapshotOptions {
  readonly operator: string;
  readonly name: string;
  readonly inputs: readonly CollectionInternals<unknown>[];
  /**
   * Emits a function that creates the derivation, and a new function whenever the parameters
   * change. After each new function, all rows are computed again.
   */
  readonly derivations$: Observable<() => Derivation<Ts, R>>;
  readonly indexers: Indexers<R>;
  readonly scheduler: SchedulerLike;
  /** False if rows are not built of parts that an equal row before had. Default true. */
  readonly shareStructure?: boolean | undefined;
}

/** Returns the previous row if it is equal (J3). Rows with different versions are not compared. */
function equalRow<R>(before: R, row: R): R {
  return resourceVersionOf(before) === resourceVersionOf(row) && shareRow(before, row) === before ? before : row;
}

/** The callbacks of a node. */
export interface NodeObserver {
  error(error: InformerError): void;
  /** Called when an input was stopped, or when completed inputs allow no further rows. */
  ended(how: 'stopped' | 'completed'): void;
}

/** The state of one run, from `open` to `close`. */
interface Run<Ts extends readonly unknown[], R> {
  /** Keeps the inputs running, and holds the subscription to the parameters. */
  readonly subscriptions: Subscription;
  create: (() => Derivation<Ts, R>) | undefined;
  derivation: Derivation<Ts, R> | undefined;
  building: Building | undefined;
  /** True once this run keeps all inputs running; one may sync before the next one starts. */
  keepsInputsRunning: boolean;
  isLive: boolean;
  /** True while the rows lack a change, because the operator failed. */
  lacksChange: boolean;
  /** True once an input is being stopped. From then on, nothing is computed. */
  isEnding: boolean;
  readonly completed: Set<CommitLog<unknown>>;
  alarm: { readonly at: number; readonly timer: Subscription } | undefined;
}

/** The computation of the first rows in slices. `changed` collects keys that change meanwhile. */
interface Building {
  readonly versions: readonly IndexedSnapshot<unknown>[];
  readonly changed: ReadonlyMap<CommitLog<unknown>, Set<string>>;
}

/**
 * A derived collection as a node of the graph of collections. It computes its rows from the
 * versions that its inputs have announced.
 *
 * | phase | duration | changes of the inputs |
 * | --- | --- | --- |
 * | waiting | until all inputs have synced | ignored: the first rows are computed from the versions at the end of this phase |
 * | building | until the first rows are computed, in slices | collected, and applied in a separate round at the end of this phase |
 * | live | until the node is closed | applied in the round in which the input changed (J1) |
 */
export class DerivedNode<Ts extends readonly unknown[], R> implements Dependent {
  readonly log: CommitLog<R>;
  readonly height: number;
  readonly #tasks: SlicedTasks;
  readonly #keeping: Keeping;
  readonly #functions: PureFunctions | undefined;
  /** The inputs that count as empty until they sync, from before `open` until `close`. */
  readonly #skipped = new Set<CommitLog<unknown>>();
  #run: Run<Ts, R> | undefined;

  constructor(
    private readonly options: GraphNodeOptions<Ts, R>,
    private readonly observer: NodeObserver,
  ) {
    const { indexers, inputs, operator, name, scheduler } = options;
    this.#keeping = keepingOf(options, options.shareStructure === false ? equalRow : shareRow);
    const fullName = name.startsWith(operator) ? name : `${operator} ${name}`;
    this.#functions = pureFunctions((option) => `${option} of ${fullName}`);
    this.height = 1 + Math.max(...inputs.map(({ log }) => log.height));
    this.log = new CommitLog<R>(indexers, scheduler, this.height, (error) => {
      observer.error(error);
    });
    this.#tasks = new SlicedTasks(scheduler, (cause) => {
      // Allows the next change of an input to try again.
      if (this.#run !== undefined) this.#run.building = undefined;
      this.#operatorFailed(cause);
    });
  }

  /** Starts a run until `close`: keeps the inputs running, computes rows when all have synced. */
  open(): void {
    const subscriptions = new Subscription();
    const run: Run<Ts, R> = {
      subscriptions,
      create: undefined,
      derivation: undefined,
      building: undefined,
      keepsInputsRunning: false,
      isLive: false,
      lacksChange: false,
      isEnding: false,
      completed: new Set(),
      alarm: undefined,
    };
    this.#run = run;
    const logs = this.options.inputs.map(({ log }) => log);
    for (const log of logs) log.dependents.add(this);
    this.log.follow(logs);
    subscriptions.add(
      this.options.derivations$.subscribe({
        next: (create) => {
          this.#parametersChanged(run, create);
        },
        error: (cause: unknown) => {
          this.observer.error(derivedRowError(this.options.name, 'the parameter', [], cause));
        },
      }),
    );
    for (const { retain } of this.options.inputs) {
      // A source may emit synchronously, and a subscriber may then stop this run.
      if (this.#active !== run) return;
      retain(subscriptions);
    }
    if (this.#active !== run) return;
    run.keepsInputsRunning = true;
    for (const { log } of this.options.inputs) if (log.isComplete) run.completed.add(log);
    this.#build(run);
    this.#endIfComplete();
  }

  /** Lets the first rows be computed without some inputs, for the rest of the run. */
  startWithout(isSkipped: readonly boolean[]): void {
    const before = this.#skipped.size;
    this.options.inputs.forEach(({ log }, position) => isSkipped[position] === true && this.#skipped.add(log));
    const run = this.#active;
    if (run !== undefined && this.#skipped.size > before) this.#build(run);
  }

  close(): void {
    const run = this.#run;
    this.#run = undefined;
    this.#skipped.clear();
    for (const { log } of this.options.inputs) log.dependents.delete(this);
    this.#tasks.clear();
    this.log.reset();
    run?.alarm?.timer.unsubscribe();
    run?.subscriptions.unsubscribe();
  }

  /** Starts the first rows again, because indexes were added, or parameters changed. */
  restartBuilding(): void {
    const run = this.#active;
    if (run?.building === undefined) return;
    this.#tasks.clear();
    run.building = undefined;
    this.#build(run);
  }

  *settle(commits: Commits): Slices<Settled | undefined> {
    const run = this.#active;
    if (run?.isLive !== true) return undefined;
    const changes = this.options.inputs.map(({ log }): InputChange<unknown> => {
      const pending = commits.get(log);
      const previous = log.announced;
      if (pending === undefined) return { previous, current: previous, keys: [] };
      return { previous, current: pending.commit.snapshot, keys: keysOfPending(pending) };
    });
    const versions = changes.map(({ current }) => current);
    const isRelist = this.options.inputs.some(({ log }) => commits.get(log)?.commit.reason === 'relist');
    const rows = this.#draft(isRelist ? 'relist' : 'watch');
    const commit = yield* this.#update(run, versions, rows, (derivation) =>
      derivation.update(changes as InputChanges<Ts>, rows),
    );
    return commit && ({ log: this.log, commit } as Settled);
  }

  inputAnnounced(announcement: Announcement<unknown>, log: CommitLog<unknown>): void {
    const run = this.#active;
    if (run === undefined || run.isLive) return;
    const changed = run.building?.changed.get(log);
    if (changed === undefined) this.#build(run);
    else for (const key of announcement.keys) changed.add(key);
  }

  inputCompleted(log: CommitLog<unknown>): void {
    this.#run?.completed.add(log);
    this.#endIfComplete();
  }

  inputStopped(): () => void {
    const run = this.#run;
    this.#freeze();
    return () => {
      if (run !== undefined && this.#run === run) this.observer.ended('stopped');
    };
  }

  #parametersChanged(run: Run<Ts, R>, create: () => Derivation<Ts, R>): void {
    if (this.#active !== run) return;
    try {
      create();
    } catch (cause) {
      // The previous parameters stay in force.
      this.observer.error(derivedRowError(this.options.name, 'the parameter', [], cause));
      return;
    }
    run.create = create;
    if (run.isLive) this.log.commitInTurn(() => this.#refill(run, create));
    else if (run.building !== undefined) this.restartBuilding();
    else this.#build(run);
  }

  /** Begins to compute the first rows if all inputs have synced and the parameters are known. */
  #build(run: Run<Ts, R>): void {
    const { create } = run;
    const logs = this.options.inputs.map(({ log }) => log);
    if (this.#active !== run || run.isLive || run.building !== undefined || create === undefined) return;
    if (!run.keepsInputsRunning || logs.some((log) => this.#isAwaited(log))) return;
    const versions = logs.map(({ announced }) => announced);
    const building: Building = { versions, changed: new Map(logs.map((log) => [log, new Set()])) };
    run.building = building;
    this.#tasks.run(() => this.#firstRows(run, building, create));
  }

  *#firstRows(run: Run<Ts, R>, building: Building, create: () => Derivation<Ts, R>): Slices<() => void> {
    const derivation = create();
    const rows = this.#draft('initial');
    yield* derivation.fill(building.versions as Versions<Ts>, rows);
    return () => {
      this.log.commitInTurn(() => this.#goLive(run, building, derivation, rows));
    };
  }

  /** Applies the changes collected during the first computation, and commits all rows. */
  *#goLive(
    run: Run<Ts, R>,
    building: Building,
    derivation: Derivation<Ts, R>,
    rows: RowDraft<R>,
  ): Slices<IndexedCommit<R> | undefined> {
    if (this.#active !== run || run.building !== building) return undefined;
    const changes = this.options.inputs.map(({ log }, position): InputChange<unknown> => ({
      previous: building.versions[position] ?? log.announced,
      current: log.announced,
      keys: [...(building.changed.get(log) ?? [])],
    }));
    run.building = undefined;
    run.derivation = derivation;
    run.isLive = true;
    const versions = changes.map(({ current }) => current);
    const hasChanged = changes.some(({ keys }) => keys.length > 0);
    return yield* this.#update(run, versions, rows, () =>
      hasChanged ? derivation.update(changes as InputChanges<Ts>, rows) : nothing(),
    );
  }

  /** Computes all rows again with a new derivation. */
  *#refill(run: Run<Ts, R>, create: () => Derivation<Ts, R>): Slices<IndexedCommit<R> | undefined> {
    if (this.#active !== run) return undefined;
    const versions = this.#announced();
    const rows = this.#draft('watch');
    return yield* this.#update(run, versions, rows, () => {
      const derivation = create();
      run.derivation = derivation;
      return replaceAll(derivation, versions, rows);
    });
  }

  /**
   * Computes a commit. It never throws, because an error would end the round. If the operator
   * itself fails, a new derivation computes all rows. If that fails too, the rows stay as they are,
   * and the next change tries again.
   */
  *#update(
    run: Run<Ts, R>,
    versions: readonly IndexedSnapshot<unknown>[],
    rows: RowDraft<R>,
    compute: (derivation: Derivation<Ts, R>) => Slices<void>,
  ): Slices<IndexedCommit<R> | undefined> {
    const { derivation, create } = run;
    if (derivation === undefined || create === undefined) return undefined;
    if (!run.lacksChange) {
      try {
        yield* this.#whileActive(run, compute(derivation));
        return yield* this.#finish(run, rows);
      } catch (cause) {
        this.#operatorFailed(cause);
      }
    }
    run.lacksChange = true;
    const again = this.#draft(this.log.latest.version === 0 ? 'initial' : rows.reason);
    try {
      run.derivation = create();
      yield* this.#whileActive(run, replaceAll(run.derivation, versions, again));
      run.lacksChange = false;
      return yield* this.#finish(run, again);
    } catch (cause) {
      this.#operatorFailed(cause);
      return undefined;
    }
  }

  *#finish(run: Run<Ts, R>, rows: RowDraft<R>): Slices<IndexedCommit<R> | undefined> {
    if (this.#active !== run) return undefined;
    const commit = yield* rows.finish();
    // The run was closed meanwhile.
    if (this.#active !== run) return undefined;
    this.#setAlarm(run);
    if (rows.reason === 'initial') this.#endIfComplete();
    return commit;
  }

  /** Runs the slices of a computation. Once the run is closed, no further slice begins. */
  *#whileActive(run: Run<Ts, R>, slices: Slices<void>): Slices<void> {
    while (this.#active === run && !slices.next().done) yield;
  }

  /** The present run; `undefined` if there is none, or if one of its inputs is being stopped. */
  get #active(): Run<Ts, R> | undefined {
    return this.#run?.isEnding === true ? undefined : this.#run;
  }

  /** Stops all computation in this node and in all nodes that depend on it. */
  #freeze(): void {
    if (this.#active === undefined) return;
    this.#active.isEnding = true;
    for (const dependent of this.log.dependents) dependent.inputStopped();
  }

  #isAwaited(log: CommitLog<unknown>): boolean {
    return log.announced.version === 0 && !this.#skipped.has(log);
  }

  #operatorFailed(cause: unknown): void {
    this.observer.error(derivedRowError(this.options.name, 'the operator', [], cause));
  }

  #announced(): readonly IndexedSnapshot<unknown>[] {
    return this.options.inputs.map(({ log }) => log.announced);
  }

  #draft(reason: ChangeReason): RowDraft<R> {
    return new RowDraft<R>(this.options.name, this.log.latest, this.#keeping, reason, this.#functions);
  }

  #endIfComplete(): void {
    const run = this.#active;
    if (run === undefined) return;
    const logs = this.options.inputs.map(({ log }) => log);
    const isOver = run.isLive && logs.every((log) => run.completed.has(log));
    const neverSyncs = logs.some((log) => run.completed.has(log) && this.#isAwaited(log));
    if (!isOver && !neverSyncs) return;
    // Completes after the rows that are still waiting to be announced.
    this.log.inTurn(() => {
      if (this.#active === run && !this.log.isComplete) this.observer.ended('completed');
    });
  }

  #setAlarm(run: Run<Ts, R>): void {
    const at = run.derivation?.wakeAt;
    if (run.alarm?.at === at) return;
    run.alarm?.timer.unsubscribe();
    run.alarm = undefined;
    if (at === undefined) return;
    const { scheduler } = this.options;
    const timer = scheduler.schedule(
      () => {
        run.alarm = undefined;
        this.log.commitInTurn(() => this.#wake(run));
      },
      Math.max(at - wallTime(scheduler), 0),
    );
    run.alarm = { at, timer };
  }

  *#wake(run: Run<Ts, R>): Slices<IndexedCommit<R> | undefined> {
    if (this.#active !== run) return undefined;
    const now = wallTime(this.options.scheduler);
    const rows = this.#draft('watch');
    return yield* this.#update(run, this.#announced(), rows, (derivation) => derivation.wake?.(now, rows) ?? nothing());
  }
}

function* replaceAll<Ts extends readonly unknown[], R>(
  derivation: Derivation<Ts, R>,
  versions: readonly IndexedSnapshot<unknown>[],
  rows: RowDraft<R>,
): Slices<void> {
  rows.beginReplacing();
  yield* derivation.fill(versions as Versions<Ts>, rows);
  yield* rows.endReplacing();
}

function* nothing(): Slices<void> {
  // The rows of a derivation without `wake` do not change with time.
}
