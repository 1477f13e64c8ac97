import type { ReactNode } from 'react';
import { podColumns, type ColumnName } from '../model/pod-columns.js';
import type { SortedBy } from '../model/sorting.js';

interface PodTableHeadProps {
  readonly order: readonly SortedBy[];
  readonly onSort: (name: ColumnName, isAdding: boolean) => void;
}

/** The titles, which sort: a click by this column alone, with Shift by this one too. */
export function PodTableHead({ order, onSort }: PodTableHeadProps): ReactNode {
  return (
    <div role="rowgroup" className="pod-head">
      <div role="row" aria-rowindex={1} className="pod-row-cells">
        {podColumns.map(({ name, title }) => {
          const position = order.findIndex((column) => column.name === name);
          const direction = order[position]?.direction;
          return (
            <div key={name} role="columnheader" aria-sort={direction ?? 'none'} className={`cell ${name}`}>
              <button
                type="button"
                title="Sort; with Shift, by this column too"
                onClick={(event) => {
                  onSort(name, event.shiftKey);
                }}
              >
                {title}
                {direction !== undefined && (
                  <span className="sort-mark" aria-hidden="true">
                    {direction === 'ascending' ? '↑' : '↓'}
                    {order.length > 1 ? position + 1 : ''}
                  </span>
                )}
              </button>
            </div>
          );
        })}
      </div>
    </div>
  );
}
