import { sizeText } from './size-text.js';

export interface CutOptions {
  /** Characters of one string that are kept; default 1,000. */
  readonly longest?: number;
  /** Characters of the whole object that are kept, about; default 100,000. */
  readonly budget?: number;
}

/** What was left out, and where. */
export interface Cut {
  readonly path: string;
  readonly what: string;
}

export interface CutObject {
  readonly value: unknown;
  readonly cuts: readonly Cut[];
}

/**
 * As much of an object as can be drawn: an annotation may have 10 MB, and there may be a hundred thousand of them.
 *
 * Long strings keep their beginning, and once the budget is spent, lists and maps end; each cut says how much there is.
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

/** `spec.containers[0].image`, `metadata.annotations["example.com/note"]`. */
export function childPath(path: string, name: string, isItem: boolean): string {
  if (isItem) return `${path}[${name}]`;
  if (!/^[A-Za-z_][\w-]*$/.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === '' ? name : `${path}.${name}`;
}
