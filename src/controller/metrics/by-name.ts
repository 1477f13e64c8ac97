/** One record for each name, made when the name is first used. */
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

/** The sum of what `project` gives. */
export function sum<Item>(items: Iterable<Item>, project: (item: Item) => number): number {
  let total = 0;
  for (const item of items) total += project(item);
  return total;
}

/** The greatest of what `project` gives, at least 0. */
export function greatest<Item>(items: Iterable<Item>, project: (item: Item) => number): number {
  let found = 0;
  for (const item of items) found = Math.max(found, project(item));
  return found;
}
