import { deserialize, serialize } from 'node:v8';

type Key = string | number | readonly Key[];

interface Range {
  readonly lower: Key;
  readonly upper: Key;
}

interface Row {
  readonly key: Key;
  readonly value: unknown;
}

/** What the history on disk uses of IndexedDB, in memory. */
export interface MemoryDatabase {
  readonly indexedDB: object;
  readonly IDBKeyRange: object;
  /** Returns the committed rows of a store. */
  rows(store: string): readonly Row[];
  /** Makes each further write fail with a message. */
  fail(message: string): void;
}

/**
 * Creates an empty database. Transactions run one after the other, and a failed one has no effect.
 */
export function memoryDatabase(): MemoryDatabase {
  const stores = new Map<string, readonly Row[]>();
  let failure: string | undefined;
  let last = Promise.resolve();

  function transaction(): object {
    const running = { error: null as Error | null, oncomplete: (): void => undefined, onabort: (): void => undefined };
    const requests: (() => void)[] = [];
    let isAborted = false;
    const before = last;
    const run = async (): Promise<void> => {
      await before;
      const earlier = new Map(stores);
      while (requests.length > 0 && !isAborted) {
        for (const request of requests.splice(0)) request();
        // The caller continues in microtasks, and a transaction ends when it has requested nothing.
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
      if (isAborted) for (const [name, rows] of earlier) stores.set(name, rows);
      (isAborted ? running.onabort : running.oncomplete)();
    };
    const abort = (error: Error | null = null): void => {
      isAborted = true;
      running.error = error;
    };
    const request = (work: () => unknown): object => {
      const made = { result: undefined as unknown, onsuccess: (): void => undefined, onerror: (): void => undefined };
      requests.push(() => {
        if (isAborted) return;
        made.result = work();
        made.onsuccess();
      });
      return made;
    };
    const objectStore = (name: string): object => {
      const rows = (): readonly Row[] => stores.get(name) ?? [];
      const inRange = (range: Key | Range | undefined): readonly Row[] => rows().filter(({ key }) => isIn(key, range));
      return {
        get: (key: Key) => request(() => copy(inRange(key)[0]?.value)),
        getAll: () => request(() => rows().map(({ value }) => copy(value))),
        getAllKeys: (range?: Range) => request(() => inRange(range).map(({ key }) => copy(key))),
        delete: (range: Key | Range) =>
          request(() => {
            stores.set(
              name,
              rows().filter(({ key }) => !isIn(key, range)),
            );
          }),
        put: (value: unknown, key: Key) =>
          request(() => {
            if (failure !== undefined) {
              abort(new Error(failure));
              return;
            }
            const others = rows().filter((row) => compare(row.key, key) !== 0);
            stores.set(
              name,
              [...others, { key: copy(key), value: copy(value) }].sort((a, b) => compare(a.key, b.key)),
            );
          }),
      };
    };
    last = new Promise((resolve) => {
      void Promise.resolve()
        .then(run)
        .then(() => resolve());
    });
    return Object.assign(running, { objectStore, abort });
  }

  return {
    indexedDB: {
      open() {
        const close = (): void => undefined;
        const database = { createObjectStore: (name: string) => stores.set(name, []), transaction, close };
        const made = { result: database, onsuccess: (): void => undefined, onupgradeneeded: (): void => undefined };
        queueMicrotask(() => {
          if (stores.size === 0) made.onupgradeneeded();
          made.onsuccess();
        });
        return made;
      },
    },
    IDBKeyRange: { bound: (lower: Key, upper: Key): Range => ({ lower, upper }) },
    rows: (store) => stores.get(store) ?? [],
    fail(message) {
      failure = message;
    },
  };
}

function copy<T>(value: T): T {
  return deserialize(serialize(value)) as T;
}

function isIn(key: Key, range: Key | Range | undefined): boolean {
  if (range === undefined) return true;
  if (typeof range === 'object' && 'lower' in range)
    return compare(range.lower, key) <= 0 && compare(key, range.upper) <= 0;
  return compare(key, range) === 0;
}

/** The order of keys in IndexedDB: numbers, then texts, then arrays. */
function compare(a: Key, b: Key): number {
  const [rankOfA, rankOfB] = [rankOf(a), rankOf(b)];
  if (rankOfA !== rankOfB) return rankOfA - rankOfB;
  if (typeof a !== 'object' || typeof b !== 'object') return a < b ? -1 : a > b ? 1 : 0;
  for (const [position, item] of a.entries()) {
    const other = b[position];
    if (other === undefined) return 1;
    const order = compare(item, other);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function rankOf(key: Key): number {
  return typeof key === 'number' ? 0 : typeof key === 'string' ? 1 : 2;
}
