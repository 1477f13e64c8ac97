import type { KeyboardEvent, PointerEvent, ReactNode } from 'react';
import { go, usePageAddress } from '../address/use-page-address.js';
import { plainText } from '../text/text.js';
import type { ColumnWidths } from './column-widths.js';
import { nextSorting, type Column } from './columns.js';

interface TableHeadProps<T> {
  readonly columns: readonly Column<T>[];
  readonly widths: ColumnWidths<T>;
  /** Whether the rows can be expanded, by a button in a separate column. */
  readonly isExpandable: boolean;
}

/**
 * Renders the column titles. A click sorts by that column only, a click with Shift adds it to the
 * order. The right edges can be dragged.
 */
export function TableHead<T>({ columns, widths, isExpandable }: TableHeadProps<T>): ReactNode {
  const { order } = usePageAddress();
  return (
    <div role="rowgroup" className="table-head">
      <div role="row" aria-rowindex={1} className="table-cells">
        {isExpandable && (
          <div role="columnheader" className="cell toggle">
            <span className="visually-hidden">Open</span>
          </div>
        )}
        {columns.map((column) => {
          const { name, title, description } = column;
          const position = order.findIndex((sorted) => sorted.name === name);
          const direction = order[position]?.direction;
          return (
            <div key={name} role="columnheader" aria-sort={direction ?? 'none'} className={cellClass(column)}>
              <button
                type="button"
                title={plainText(
                  description ?? 'Sort; with Shift, also sort by this column. Alt and arrow keys change its width',
                )}
                onClick={({ shiftKey }) => {
                  go({ order: nextSorting(order, name, shiftKey) });
                }}
                onKeyDown={(event: KeyboardEvent) => {
                  if (!event.altKey || (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight')) return;
                  event.preventDefault();
                  widths.resize(name, widths.widthOf(column) + (event.key === 'ArrowLeft' ? -16 : 16));
                }}
              >
                {plainText(title, 40)}
                {direction !== undefined && (
                  <span className="sort-mark" aria-hidden="true">
                    {direction === 'ascending' ? '↑' : '↓'}
                    {order.length > 1 ? position + 1 : ''}
                  </span>
                )}
              </button>
              <ColumnEdge
                onResize={(width) => {
                  widths.resize(name, width);
                }}
              />
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** Returns the CSS class of the cells of a column, and of its title. */
export function cellClass<T>({ name, className = name, isNumeric }: Column<T>): string {
  return isNumeric === true ? `cell ${className} number` : `cell ${className}`;
}

/**
 * Renders the right edge of a column. It can be dragged, and a double click restores the default
 * width.
 */
function ColumnEdge({ onResize }: { readonly onResize: (width: number | undefined) => void }): ReactNode {
  return (
    <span
      className="column-edge"
      aria-hidden="true"
      onPointerDown={(event) => {
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event: PointerEvent<HTMLElement>) => {
        const head = event.currentTarget.parentElement;
        if (head === null || !event.currentTarget.hasPointerCapture(event.pointerId)) return;
        onResize(event.clientX - head.getBoundingClientRect().left);
      }}
      onDoubleClick={() => {
        onResize(undefined);
      }}
    />
  );
}
