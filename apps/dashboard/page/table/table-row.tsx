import { memo, useEffect, useRef, type ReactNode } from 'react';
import type { Opened } from '../address/page-address.js';
import { PageLink } from '../address/use-page-address.js';
import { plainText } from '../text/text.js';
import type { Column } from './columns.js';
import { cellClass } from './table-head.js';

interface TableRowProps<T> {
  readonly id: string;
  readonly row: T;
  readonly rowKey: string;
  readonly columns: readonly Column<T>[];
  /** The index in the whole table, from 0. */
  readonly index: number;
  readonly isActive: boolean;
  /** Whether the drawer shows the row's object. */
  readonly isOpened: boolean;
  readonly linkTo: (row: T, key: string) => Opened;
  readonly classOf: ((row: T) => string) | undefined;
  /** The button that expands the row. */
  readonly toggle: ReactNode;
}

/**
 * Renders one row. Renders it again only when its props change. The name in the row is a link over
 * the whole row, so that the user can open the object in another tab.
 */
export const TableRow = memo(function TableRow<T>(props: TableRowProps<T>): ReactNode {
  const { id, row, rowKey, columns, index, isActive, isOpened, linkTo, classOf, toggle } = props;
  const element = useRef<HTMLDivElement>(null);
  useGlow(element, row);
  return (
    <div
      ref={element}
      id={id}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isOpened}
      className={`table-row table-cells ${classOf?.(row) ?? ''} ${isActive ? 'active' : ''}`}
    >
      {toggle !== undefined && (
        <div role="gridcell" className="cell toggle">
          {toggle}
        </div>
      )}
      {columns.map((column) => {
        const { name, text, cell, tone } = column;
        const shown = text && plainText(text(row));
        return (
          <div key={name} role="gridcell" className={`${cellClass(column)} ${tone?.(row) ?? ''}`} title={shown}>
            {name === 'name' ? (
              <>
                <PageLink className="row-link" isPassedOver to={{ opened: linkTo(row, rowKey) }}>
                  <MiddleCut text={shown ?? ''} />
                </PageLink>
                {cell?.(row)}
              </>
            ) : (
              (cell?.(row) ?? shown)
            )}
          </div>
        );
      })}
    </div>
  );
}) as <T>(props: TableRowProps<T>) => ReactNode;

/** Renders a text and cuts its middle if there is no room, because names differ at their ends. */
export function MiddleCut({ text }: { readonly text: string }): ReactNode {
  const at = Math.max(0, text.length - 9);
  return (
    <>
      <span className="visually-hidden">{text}</span>
      <span className="middle-cut" aria-hidden="true">
        <span className="cut-head">{text.slice(0, at)}</span>
        <span className="cut-tail">{text.slice(at)}</span>
      </span>
    </>
  );
}

/** Milliseconds for which a row glows after a change. */
const glow = 600;

/**
 * Highlights a row for a moment when its object changes. Only visible rows are drawn, so only
 * visible rows glow.
 */
function useGlow(element: { readonly current: HTMLElement | null }, row: unknown): void {
  const before = useRef(row);
  const glowing = useRef<Animation>(undefined);
  useEffect(() => {
    if (before.current === row) return;
    before.current = row;
    const { current } = element;
    if (current === null || !('animate' in current) || glowing.current?.playState === 'running') return;
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    glowing.current = current.animate([{ backgroundColor: 'var(--glow)' }, {}], { duration: glow, easing: 'ease-out' });
  }, [element, row]);
}
