import { createIndexer, type ChangeSet, type Indexer } from 'rx-informers';
import type { Subscription } from 'rxjs';
import { internalsOf } from '../../../src/collections/log-collection.js';
import type { Derivation, Rows } from '../../../src/derived/core/derivation.js';
import { derivedCollection, type DerivedCollection } from '../../../src/derived/core/derived-collection.js';
import type { IndexedSnapshot } from '../../../src/store/indexed-snapshot.js';
import { busyScheduler } from '../../informer/support/busy-scheduler.js';
import { expectEqual } from './random-graph.js';
import type { Random } from './random.js';

interface Counted {
  readonly id: string;
  readonly value: number;
}
type Vertex = Indexer<Counted> | DerivedCollection<Counted>;

const keys = ['a', 'b', 'c'];
/** The maximum number of writes of subscribers in one history. Without it, some never end. */
const maxReplies = 100;
const versionsOf = (snapshots: readonly IndexedSnapshot<Counted>[], key: string): number =>
  snapshots.reduce((total, snapshot, position) => total + (position + 1) * (snapshot.get(key)?.value ?? 0), 0);

/** Adds the values of its inputs up, and yields at random, so that the clock interrupts it. */
class Sum implements Derivation<readonly Counted[], Counted> {
  constructor(private readonly random: Random) {}

  *fill(versions: readonly IndexedSnapshot<Counted>[], rows: Rows<Counted>): Generator<undefined, void, undefined> {
    for (const id of keys) {
      for (let yields = this.random.nat(4); yields > 0; yields--) yield;
      rows.set(id, { id, value: versionsOf(versions, id) });
    }
  }

  *update(
    changes: readonly { readonly current: IndexedSnapshot<Counted> }[],
    rows: Rows<Counted>,
  ): Generator<undefined, void, undefined> {
    yield* this.fill(
      changes.map(({ current }) => current),
      rows,
    );
  }
}

type Log = ReturnType<typeof internalsOf<Counted>>['log'];

function isPending({ latest, announced }: Log): boolean {
  return latest !== announced;
}

/** Returns a log, and the logs of all running collections that are derived from it. */
function reachedFrom(log: Log, found = new Set<Log>()): ReadonlySet<Log> {
  found.add(log);
  for (const dependent of log.dependents) reachedFrom(dependent.log as Log, found);
  return found;
}

/**
 * A random graph whose computations are interrupted at random, while its inputs change, its derived
 * collections start and stop, indexes are added, and subscribers write.
 */
export class InterruptedGraph {
  commits = 0;
  /** The number of commits that were announced at once while another input was being computed. */
  overtakes = 0;
  readonly #clock = busyScheduler(4);
  readonly #roots: Indexer<Counted>[] = [];
  readonly #vertices: { readonly collection: Vertex; readonly inputs: readonly number[] }[] = [];
  readonly #open = new Map<number, Subscription>();
  readonly #received = new Map<Indexer<Counted>, Map<string, number[]>>();
  readonly #written = new Map<Indexer<Counted>, Map<string, number[]>>();
  #failure: { readonly failure: unknown } | undefined;
  #depth = 0;
  /** The number of writes of subscribers. */
  #replies = 0;

  constructor(private readonly random: Random) {
    const quiet = { scheduler: this.#clock, freeze: false, onSlowSubscriber: () => undefined } as const;
    for (let count = 2 + random.nat(3); count > 0; count--) {
      const root = createIndexer<Counted>(({ id }) => id, {}, quiet);
      root.replace(keys.map((id) => ({ id, value: 0 })));
      this.#roots.push(root);
      this.#vertices.push({ collection: root, inputs: [] });
      this.#written.set(root, new Map(keys.map((key) => [key, []])));
      const received = new Map<string, number[]>(keys.map((key) => [key, []]));
      this.#received.set(root, received);
      root.changes$.subscribe((set) => this.#receive(set, (key, value) => received.get(key)?.push(value)));
    }
    for (let count = 1 + random.nat(5); count > 0; count--) {
      const inputs = [...new Set([random.nat(this.#vertices.length), random.nat(this.#vertices.length)])];
      const collection = derivedCollection<readonly Counted[], Counted, never>(
        {
          operator: 'sum',
          inputs: inputs.map((input) => (this.#vertices[input] as { collection: Vertex }).collection),
          derivation: () => new Sum(random),
        },
        {
          ...quiet,
          linger: 0,
          onUnobservedError: (error) => this.#note(() => expectEqual(error, undefined)),
        },
      ) as DerivedCollection<Counted>;
      this.#vertices.push({ collection, inputs });
    }
  }

  step(): void {
    const { random } = this;
    const kind = random.nat(20);
    const position = random.nat(this.#vertices.length);
    if (kind < 8) this.#clock.runNext();
    else if (kind < 15) this.#write();
    else if (kind < 19) this.#toggle(position);
    else
      (this.#vertices[position] as { collection: Vertex }).collection.addIndexers({
        [`late${this.commits}-${position}-${random.nat(1e9)}`]: ({ value }: Counted) => `${value}`,
      });
    this.#check();
  }

  finish(): void {
    this.#clock.runAll();
    this.#check();
    for (const [root, received] of this.#received) expectEqual(received, this.#written.get(root));
    for (const { collection } of this.#vertices) {
      const { log } = internalsOf(collection as Indexer<Counted>);
      expectEqual([log.latest === log.announced, log.rounds.last, log.rounds.computing], [true, undefined, undefined]);
      if (this.#isOpen(collection)) expectEqual(collection.hasSynced, true);
    }
    if (this.#failure !== undefined) throw this.#failure.failure;
  }

  #isOpen(collection: Vertex): boolean {
    return this.#vertices.some((vertex, position) => vertex.collection === collection && this.#open.has(position));
  }

  #receive({ reason, changes }: ChangeSet<Counted>, record: (key: string, value: number) => void): void {
    if (reason === 'initial') return;
    for (const { key, object } of changes) record(key, object.value);
    this.#note(() => {
      this.#check();
      if (this.#depth > 1 || this.#replies === maxReplies || !this.random.chance(0.2)) return;
      this.#replies++;
      this.#depth++;
      this.#write();
      this.#check();
      this.#depth--;
    });
  }

  #note(assert: () => void): void {
    try {
      assert();
    } catch (failure) {
      this.#failure ??= { failure };
    }
  }

  /**
   * Writes to a root. The write must not wait, unless an earlier round is in the queue of a
   * collection that the write may change.
   */
  #write(): void {
    const root = this.random.oneOf(this.#roots);
    const [id, value] = [this.random.oneOf(keys), ++this.commits];
    const { log } = internalsOf(root);
    const reached = reachedFrom(log);
    const pending = this.#roots.map((other) => internalsOf(other).log).filter(isPending);
    // A subscriber that writes is itself part of a round.
    const mayWait =
      this.#depth > 0 ||
      [...reached].some(({ announced, rounds }) => announced.version === 0 || rounds.last !== undefined);
    this.#written.get(root)?.get(id)?.push(value);
    root.update({ id, value });
    if (mayWait) return;
    if (reached.size === 1) expectEqual(isPending(log), false);
    // The rows are computed from this commit at once, and perhaps continued later.
    else expectEqual(isPending(log), log.rounds.computing !== undefined);
    if (pending.length > 0) this.overtakes++;
  }

  #toggle(position: number): void {
    if (position < this.#roots.length) return;
    const { collection } = this.#vertices[position] as { collection: Vertex };
    const open = this.#open.get(position);
    if (open !== undefined) {
      this.#open.delete(position);
      open.unsubscribe();
      return;
    }
    const subscription = collection.changes$.subscribe((set) => this.#receive(set, () => undefined));
    this.#open.set(position, subscription);
  }

  /** Checks that all rows follow from the announced versions of their inputs (J1, J2). */
  #check(): void {
    for (const { collection, inputs } of this.#vertices) {
      const { announced } = internalsOf(collection as Indexer<Counted>).log;
      if (inputs.length === 0 || announced.version === 0) continue;
      const versions = inputs.map(
        (input) => internalsOf((this.#vertices[input] as { collection: Indexer<Counted> }).collection).log.announced,
      );
      for (const key of keys) {
        const actual = announced.get(key)?.value;
        const expected = versionsOf(versions, key);
        if (actual !== expected) expectEqual({ key, actual }, { key, actual: expected });
      }
    }
  }
}
