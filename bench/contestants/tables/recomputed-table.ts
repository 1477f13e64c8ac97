import { BehaviorSubject, combineLatest, map } from 'rxjs';
import { comparison, type OpenTable, type Shown } from './table.js';

/** The simplest version: after each commit, it filters, sorts and slices all rows. */
export const recomputedTable: OpenTable = (pods, options) => {
  const options$ = new BehaviorSubject(options);
  let shown: Shown = { rows: [], total: 0 };
  const subscription = combineLatest([pods.list$(), options$])
    .pipe(
      map(([list, { where, sortBy, offset, limit }]) => {
        const rows = list.filter(where).sort(comparison(sortBy));
        return { rows: rows.slice(offset, offset + limit), total: rows.length };
      }),
    )
    .subscribe((next) => (shown = next));
  return {
    shown: () => shown,
    show: (next) => {
      options$.next(next);
    },
    close: () => {
      subscription.unsubscribe();
    },
  };
};
