import type { View, WindowOptions } from 'rx-informers/views';
import { nameOf, type Thing } from './thing.js';

/**
 * Returns the expected view, computed in the simplest way: it filters, sorts and slices all rows.
 */
export function oracle(things: readonly Thing[], options: WindowOptions<Thing, 'group'>): View<Thing> {
  const { index, selector, where = () => true, sortBy = [], offset = 0, limit = Infinity } = options;
  const compare = (a: Thing, b: Thing): number => {
    for (const { value, direction, collator } of sortBy) {
      const [one, other] = [value(a), value(b)] as [string | number | undefined, string | number | undefined];
      if (one === other) continue;
      if (one === undefined || other === undefined) return one === undefined ? 1 : -1;
      const difference = collator ? collator.compare(String(one), String(other)) : one < other ? -1 : 1;
      if (difference !== 0) return direction === 'descending' ? -difference : difference;
    }
    return nameOf(a) < nameOf(b) ? -1 : 1;
  };
  const selected = things
    .filter(({ group }) => !index || index[1] === group)
    .filter(({ metadata: { labels } }) => {
      if (!selector) return true;
      return selector === 'app' ? labels?.['app'] !== undefined : labels?.['app'] === 'web';
    })
    .filter(where)
    .sort(compare);
  const rows = selected.slice(offset, offset + limit);
  return {
    rows,
    keys: rows.map(nameOf),
    total: selected.length,
    offset: rows.length === 0 ? selected.length : offset,
  };
}
