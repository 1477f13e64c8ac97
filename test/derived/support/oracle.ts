import fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import { createIndexer, type Indexer, type Indexers, type InformerError } from 'rx-informers';
import type * as derived from 'rx-informers/derived';
import { metaNamespaceKey, type Delta, type KeyFunction } from 'rx-informers/store';
import { virtualClock, type VirtualClock } from 'rx-informers/testing';
import { type Subscription } from 'rxjs';
import { internalsOf } from '../../../src/collections/log-collection.js';
import { Replica } from '../../../src/testing/conformance/collection-agreement.js';
import { randomCommits, randomOf, type Random } from './random.js';

/**
 * One input of an operator: a function that creates a random object, and the indexes of the input.
 */
export interface RandomInput<T, I extends string = never> {
  readonly object: (random: Random) => T;
  readonly indexers?: Indexers<T, I>;
  /** The key function. Default: `metaNamespaceKey`. */
  readonly keyOf?: KeyFunction<T>;
}

/** The arguments of `make`: the inputs by name, and the options and the clock for the operator. */
export interface OracleContext<Is> {
  readonly inputs: Is;
  /**
   * The options for the operator. Pass them as they are, `derived.filter(pods, f, options)`, or
   * spread them among further options.
   */
  readonly options: { readonly linger: 0; readonly scheduler: VirtualClock; readonly onUnobservedError: () => void };
  readonly clock: VirtualClock;
}

/** One operator, and the naive function whose result it must equal. */
export interface Oracle<R> {
  readonly collection: derived.DerivedCollection<R>;
  /** Computes all rows, by key, from the current inputs in the simplest way. */
  readonly expected: () => ReadonlyMap<string, R> | Readonly<Record<string, R>>;
  /**
   * Returns true if two rows are the same (J3). Default: deep equality. Use `Object.is` if the rows
   * are objects of an input.
   */
  readonly isSame?: (a: unknown, b: unknown) => boolean;
  /** Changes a parameter of the operator, or lets time pass. It is one step of the history. */
  readonly act?: (random: Random) => void;
  /** Makes further checks after each step, while the collection runs. */
  readonly check?: () => void;
}

type AnyInputs = Readonly<Record<string, RandomInput<object, string>>>;
type IndexersOf<Is> = { readonly [K in keyof Is]: Is[K] extends RandomInput<infer T, infer I> ? Indexer<T, I> : never };

/** Declares an input and infers its types. */
export function randomInput<T, const I extends string = never>(
  object: (random: Random) => T,
  rest: Omit<RandomInput<T, I>, 'object'> = {},
): RandomInput<T, I> {
  return { object, ...rest };
}

/**
 * Defines a test that applies random histories to the inputs of a derived collection. After each
 * commit it compares the collection with a naive function:
 *
 * - The rows deep-equal the result of the naive function (J2), and the indexes contain the same
 *   rows.
 * - For each subscriber, early or late, all emitted changes together result in the snapshot.
 * - The version grows by one exactly if the rows differ (J1, J3), and an equal row remains the same
 *   object.
 * - All errors are `RXI_DERIVED_ROW`s. After all subscribers have left, the collection no longer
 *   uses its inputs (J7).
 *
 * A history adds, updates, moves and deletes objects, in commits of one or several changes. It also
 * relists, resyncs, reuses a key with another uid, adds indexes to the inputs and to the
 * collection, and lets subscribers leave and return. If the test fails, it prints fast-check's seed
 * and the shortest failing history that it found. The history is printed as the numbers from which
 * its steps are made.
 *
 * @param name the name of the test
 * @param inputs the inputs by name
 * @param make creates the operator over new inputs; called once for each history
 */
export function describeOracle<Is extends object, R>(
  name: string,
  inputs: Is,
  make: (context: OracleContext<IndexersOf<Is>>) => Oracle<R>,
): void {
  it(`${name}: equals the naive function after each of the random commits (J2, J3)`, () => {
    const steps = 50;
    const history = fc.array(fc.nat(), { minLength: 1, maxLength: 2 * steps, size: 'max' });
    let committed = 0;
    const agrees = fc.property(history, (seeds) => {
      const run = new OracleRun(inputs as unknown as AnyInputs, make as never);
      run.all(seeds);
      committed += run.commits;
    });
    while (committed < randomCommits) fc.assert(agrees, { numRuns: Math.ceil((randomCommits - committed) / steps) });
    expect(committed).toBeGreaterThanOrEqual(randomCommits);
  });
}

class OracleRun {
  commits = 0;
  readonly #clock = virtualClock({ now: 1_000_000 });
  readonly #inputs = new Map<string, { readonly store: Indexer<object>; readonly made: RandomInput<object, string> }>();
  readonly #oracle: Oracle<unknown>;
  readonly #isSame: (a: unknown, b: unknown) => boolean;
  readonly #errors: InformerError[] = [];
  readonly #steps: unknown[][] = [];
  readonly #subscribers: { readonly replica: Replica<unknown>; readonly subscription: Subscription }[] = [];
  #before:
    | {
        readonly version: number;
        readonly rows: ReadonlyMap<string, unknown>;
        readonly expected: ReadonlyMap<string, unknown>;
      }
    | undefined;
  #lateIndexes = 0;

  constructor(made: AnyInputs, make: (context: OracleContext<Record<string, Indexer<object>>>) => Oracle<unknown>) {
    const quiet = { onUnobservedError: () => undefined };
    for (const [name, input] of Object.entries(made)) {
      const keyOf = input.keyOf ?? metaNamespaceKey;
      const store = createIndexer<object, string>(keyOf, input.indexers ?? {}, { ...quiet, scheduler: this.#clock });
      this.#inputs.set(name, { store, made: input });
    }
    this.#oracle = make({
      inputs: Object.fromEntries([...this.#inputs].map(([name, { store }]) => [name, store])),
      options: { ...quiet, linger: 0, scheduler: this.#clock },
      clock: this.#clock,
    });
    this.#isSame = this.#oracle.isSame ?? isDeepStrictEqual;
    this.#oracle.collection.errors$.subscribe((error) => this.#errors.push(error));
    this.#join();
  }

  /** Makes a step of each number. If a step fails, the error lists the steps so far. */
  all(seeds: readonly number[]): void {
    try {
      for (const seed of seeds) this.#step(randomOf(seed));
      this.#finish();
    } catch (cause) {
      const steps = this.#steps.map((step) => JSON.stringify(step)).join('\n');
      throw new Error(`${(cause as Error).message}\n\nafter these steps:\n${steps}`, { cause });
    }
  }

  #step(random: Random): void {
    const kind = random.nat(100);
    if (kind < 82) this.#commit(random);
    else if (kind < 88) {
      this.#steps.push(['act']);
      this.#oracle.act?.(random);
    } else if (kind < 91) this.#join();
    else if (kind < 94) this.#leave(1);
    else if (kind < 96) this.#leave(Infinity);
    else this.#addIndexes(random);
    if (this.#subscribers.length === 0) {
      this.#before = undefined;
      this.#expectNothingRetained();
      this.#join();
    }
    this.#check();
  }

  /**
   * Ends a history: syncs all inputs, compares once more, and checks that the inputs are released.
   */
  #finish(): void {
    for (const { store } of this.#inputs.values()) if (!store.hasSynced) store.replace([]);
    this.#check();
    this.#leave(Infinity);
    this.#expectNothingRetained();
    expectEqual({ timers: this.#clock.timers }, { timers: 0 });
  }

  #commit(random: Random): void {
    this.commits++;
    const [name, { store, made }] = random.oneOf([...this.#inputs]);
    const key = (): string => random.oneOf([...store.keys(), 'unknown']);
    const kind = random.nat(100);
    if (kind < 60) {
      const object = made.object(random);
      this.#steps.push([name, 'update', object]);
      store.update(object);
    } else if (kind < 80) {
      const deleted = key();
      this.#steps.push([name, 'delete', deleted]);
      store.delete(deleted);
    } else if (kind < 92) {
      const deltas = Array.from({ length: random.nat(5) }, (): Delta<object> => {
        if (random.chance(0.4)) return { type: 'Deleted', key: key(), object: undefined, finalStateUnknown: true };
        const object = made.object(random);
        return { type: 'Updated', key: this.#keyOf(made, object), object };
      });
      this.#steps.push([name, 'apply', deltas]);
      store.apply(deltas);
    } else if (kind < 97) {
      const objects = Array.from({ length: random.nat(8) }, () => made.object(random));
      this.#steps.push([name, 'replace', objects]);
      store.replace(objects);
    } else {
      this.#steps.push([name, 'resync']);
      store.resync();
    }
  }

  #keyOf({ keyOf }: RandomInput<object, string>, object: object): string {
    return (keyOf ?? metaNamespaceKey)(object);
  }

  #join(): void {
    this.#steps.push(['subscribe']);
    const replica = new Replica<unknown>();
    const subscription = this.#oracle.collection.changes$.subscribe(replica.apply);
    this.#subscribers.push({ replica, subscription });
  }

  #leave(count: number): void {
    this.#steps.push([`${count} leave`]);
    for (const { subscription } of this.#subscribers.splice(-count)) subscription.unsubscribe();
  }

  /** Adds indexes, at most twice in a history, because this costs more than a commit. */
  #addIndexes(random: Random): void {
    if (this.#lateIndexes === 2) return;
    const name = `late ${this.#lateIndexes++}`;
    const modulus = 2 + random.nat(3);
    const late = (row: unknown): string => String(JSON.stringify(row).length % modulus);
    const indexed = random.oneOf([this.#oracle.collection, ...[...this.#inputs.values()].map(({ store }) => store)]);
    this.#steps.push([name, indexed === this.#oracle.collection ? 'of the collection' : 'of an input']);
    indexed.addIndexers({ [name]: late });
  }

  #check(): void {
    const { collection } = this.#oracle;
    const isSynced = [...this.#inputs.values()].every(({ store }) => store.hasSynced);
    expectEqual({ hasSynced: collection.hasSynced }, { hasSynced: isSynced });
    if (!isSynced) return;
    const passed = this.#oracle.expected();
    const expected = new Map(passed instanceof Map ? passed : Object.entries(passed)) as ReadonlyMap<string, unknown>;
    const { snapshot } = collection;
    const rows = new Map<string, unknown>();
    snapshot.forEach(({ key, object }) => rows.set(key, object));
    if (!isSameRows(rows, expected, this.#isSame)) expectEqual(sorted(rows), sorted(expected));
    this.#checkIndexes(rows);
    for (const { replica } of this.#subscribers) {
      if (!isSameRows(replica.objects, rows, Object.is)) throw new Error('the changes$, folded, are not the snapshot');
      expectEqual(replica.complaints, []);
    }
    this.#checkProgress(snapshot.version, rows, expected);
    for (const { name, message } of this.#errors.splice(0)) if (name !== 'RXI_DERIVED_ROW') throw new Error(message);
    this.#oracle.check?.();
  }

  #checkProgress(version: number, rows: ReadonlyMap<string, unknown>, expected: ReadonlyMap<string, unknown>): void {
    const before = this.#before;
    this.#before = { version, rows, expected };
    if (before === undefined) return;
    const isChanged = !isSameRows(before.expected, expected, this.#isSame);
    expectEqual({ version, isChanged }, { version: before.version + (isChanged ? 1 : 0), isChanged });
    for (const [key, row] of rows) {
      const previous = before.rows.get(key);
      if (previous !== row && this.#isSame(previous, row)) throw new Error(`${key} is equal, and another object`);
    }
  }

  #checkIndexes(rows: ReadonlyMap<string, unknown>): void {
    const { collection } = this.#oracle;
    for (const [name, indexOf] of Object.entries(collection.indexers)) {
      const expected = new Map<string, string[]>();
      for (const [key, row] of rows) {
        const values = (indexOf as (row: unknown) => string | readonly string[] | undefined)(row) ?? [];
        for (const value of typeof values === 'string' ? [values] : new Set(values)) {
          expected.set(value, [...(expected.get(value) ?? []), key]);
        }
      }
      const shown = collection.indexValues(name).map((value) => [value, collection.snapshot.indexKeys(name, value)]);
      expectEqual(shown, sorted(expected));
    }
  }

  #expectNothingRetained(): void {
    for (const { store } of this.#inputs.values()) {
      const { dependents, listeners } = internalsOf(store).log;
      expectEqual([dependents.size, listeners.all.length], [0, 0]);
    }
    expectEqual([this.#oracle.collection.isRunning, this.#oracle.collection.snapshot.size], [false, 0]);
  }
}

/**
 * Compares without jest first, because jest's assertion costs more than a commit. Only a failing
 * assertion is made with jest.
 */
function expectEqual(actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected);
}

function isSameRows(
  a: ReadonlyMap<string, unknown>,
  b: ReadonlyMap<string, unknown>,
  isSame: (a: unknown, b: unknown) => boolean,
): boolean {
  if (a.size !== b.size) return false;
  for (const [key, row] of a) if (!b.has(key) || !isSame(row, b.get(key))) return false;
  return true;
}

function sorted<V>(rows: ReadonlyMap<string, V>): (readonly [string, V])[] {
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1));
}
