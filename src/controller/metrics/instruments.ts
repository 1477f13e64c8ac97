import type { CountedFact, LabelValues, ReadFact, RecordedFact } from './metric-definitions.js';

/** One value at the moment of collection. */
export interface Sample {
  readonly value: number;
  readonly labels: LabelValues;
}

/** Records values: the part that differs between adapters. */
export interface Instruments {
  /** Adds to a counter. Adding 0 creates the counter. */
  count(fact: CountedFact, value: number, labels: LabelValues): void;
  record(fact: RecordedFact, value: number, labels: LabelValues): void;
  /** Calls `samples` at each collection, and reports only what it returns. */
  read(fact: ReadFact, samples: () => readonly Sample[]): void;
}

/** Returns a record with the same keys, and the results of `project` as values. */
export function mapFacts<Fact extends string, From, To>(
  facts: Readonly<Record<Fact, From>>,
  project: (from: From, fact: Fact) => To,
): Readonly<Record<Fact, To>> {
  const result: Partial<Record<Fact, To>> = {};
  for (const fact in facts) result[fact] = project(facts[fact], fact);
  return result as Record<Fact, To>;
}

/** Returns the labels under the names of an adapter; `''` for a label without a value. */
export function labelsOf(
  names: Readonly<Record<string, keyof LabelValues>>,
  labels: LabelValues,
): Record<string, string> {
  return Object.fromEntries(Object.entries(names).map(([name, source]) => [name, labels[source] ?? '']));
}

/** Stores one value for each name. The value is created when the name is first used. */
export class ByName<Kept> {
  readonly #kept = new Map<string, Kept>();

  constructor(private readonly create: (name: string) => Kept) {}

  of(name: string): Kept {
    const known = this.#kept.get(name);
    if (known !== undefined) return known;
    const created = this.create(name);
    this.#kept.set(name, created);
    return created;
  }

  forget(name: string): void {
    this.#kept.delete(name);
  }

  map<Result>(project: (kept: Kept, name: string) => Result): readonly Result[] {
    return Array.from(this.#kept, ([name, kept]) => project(kept, name));
  }
}

/**
 * Returns the sum of the numbers that `project` returns for the items.
 *
 * @param items the items
 * @param project returns the number of an item
 * @returns 0 without items
 */
export function total<Item>(items: Iterable<Item>, project: (item: Item) => number): number {
  let total = 0;
  for (const item of items) total += project(item);
  return total;
}

/** Returns the greatest value that `project` returns for an item, at least 0. */
export function greatest<Item>(items: Iterable<Item>, project: (item: Item) => number): number {
  let found = 0;
  for (const item of items) found = Math.max(found, project(item));
  return found;
}

export function inSeconds(milliseconds: number): number {
  return milliseconds / 1_000;
}

/** Returns an error's code, and its HTTP status if there is one: few distinct values. */
export function classOf(error: Error): { readonly error: string; readonly code: string } {
  const { code, statusCode } = error as { readonly code?: unknown; readonly statusCode?: unknown };
  return {
    error: typeof code === 'string' ? code : error.name,
    code: typeof statusCode === 'number' ? String(statusCode) : '',
  };
}
