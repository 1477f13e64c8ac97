import { sizeText } from '../text/text.js';

export interface CutOptions {
  /** The maximum number of characters of one string; default 1,000. */
  readonly longest?: number;
  /** The approximate maximum number of characters of the whole object; default 100,000. */
  readonly budget?: number;
}

/** One cut: its path, and how much was left out. */
export interface Cut {
  readonly path: string;
  readonly what: string;
}

export interface CutObject {
  readonly value: unknown;
  readonly cuts: readonly Cut[];
}

/**
 * Returns the part of an object that can be drawn. An annotation may have 10 MB, and an object may
 * have a hundred thousand annotations.
 *
 * Shortens long strings to their beginning. Ends lists and maps once the budget is spent. Each cut
 * states the full size.
 */
export function cutObject(object: unknown, { longest = 1000, budget = 100_000 }: CutOptions = {}): CutObject {
  const cuts: Cut[] = [];
  let left = budget;

  function cutString(text: string, path: string): string {
    const length = Math.max(0, Math.min(longest, left));
    left -= Math.min(text.length, length);
    if (text.length <= length) return text;
    cuts.push({ path, what: `${sizeText(text.length)} characters, ${sizeText(length)} shown` });
    return `${text.slice(0, length)}…`;
  }

  function spend(size: number): boolean {
    left -= size;
    return left > 0;
  }

  function cut(value: unknown, path: string): unknown {
    if (typeof value === 'string') return cutString(value, path);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value);
    const kept: [string, unknown][] = [];
    for (const [name, item] of entries) {
      if (!spend(name.length + 4)) {
        cuts.push({ path, what: `${entries.length} entries, ${kept.length} shown` });
        break;
      }
      kept.push([name, cut(item, childPath(path, name, Array.isArray(value)))]);
    }
    return Array.isArray(value) ? kept.map(([, item]) => item) : Object.fromEntries(kept);
  }

  return { value: cut(object, ''), cuts };
}

/**
 * Returns the path of a child: `spec.containers[0].image`,
 * `metadata.annotations["example.com/note"]`.
 */
export function childPath(path: string, name: string, isItem: boolean): string {
  if (isItem) return `${path}[${name}]`;
  if (!/^[A-Za-z_][\w-]*$/.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === '' ? name : `${path}.${name}`;
}
