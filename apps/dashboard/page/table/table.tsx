import {
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type CSSProperties,
  type KeyboardEvent,
  type ReactNode,
} from 'react';
import type { Collection } from 'rx-informers';
import { useHasSynced, useWindow } from 'rx-informers/react';
import type { SortColumn } from 'rx-informers/views';
import type { Opened } from '../address/page-address.js';
import { cameBack, go, pageAddress, usePageAddress } from '../address/use-page-address.js';
import { useIsRefused } from '../cluster/connection.js';
import { useColumnWidths } from './column-widths.js';
import type { Column } from './columns.js';
import { scrollTopFor, TallRows, topOf, useRowsInSight } from './rows-in-sight.js';
import {
  activeIndex,
  movedTo,
  oneLine,
  rowsInPage,
  twoLines,
  windowRange,
  type ActiveRow,
  type RowSizes,
} from './rows.js';
import { TableHead } from './table-head.js';
import { TableRow } from './table-row.js';

/** The details below the expanded rows of a table. */
interface Expansion<T> {
  /** Returns the name of a row in the address, which lists the expanded rows. */
  readonly keyOf: (row: T) => string;
  /** Returns the name of a row for its button: `Deployment shop/web`. */
  readonly nameOf: (row: T) => string;
  /** Returns the details below a row, or `undefined` for none. */
  readonly details: (row: T, isOpen: boolean) => ReactNode;
}

interface TableProps<T> {
  /**
   * The name of the table. The browser stores the widths of its columns under this name, and the
   * address contains its setting: `workloads.open`.
   */
  readonly name: string;
  readonly label: string;
  readonly collection: Collection<T>;
  /** True while `collection` has only a part of the rows. Default: false. */
  readonly isArriving?: boolean;
  /** The columns. The column `name` is a link to the object of the row. */
  readonly columns: readonly Column<T>[];
  readonly where: ((row: T) => boolean) | undefined;
  readonly sortBy: readonly SortColumn<T>[];
  /** The height of the rows; default: one line. */
  readonly sizes?: RowSizes;
  /**
   * Returns the object that a row opens. Pass the same function each time, because a new function
   * renders all rows again.
   */
  readonly linkTo: (row: T, key: string) => Opened;
  /** Returns additional CSS classes for a row. Pass the same function each time. */
  readonly classOf?: (row: T) => string;
  readonly expansion?: Expansion<T>;
  /** The content that replaces the rows while there are none. */
  readonly empty: ReactNode;
  readonly onTotal: (total: number) => void;
}

/**
 * Renders a table. Reads, sorts and draws only the visible rows. The table is one stop of the Tab
 * key: up and down move the cursor, Enter opens the object, right and left expand and collapse a
 * row.
 */
export function Table<T>(props: TableProps<T>): ReactNode {
  const { name, label, collection, columns, where, sortBy, sizes = oneLine, linkTo, classOf, expansion } = props;
  const { isArriving = false, empty, onTotal } = props;
  const { filter, order, opened, settings } = usePageAddress();
  const hasSynced = useHasSynced(collection);
  const isRefused = useIsRefused(collection);
  const scroller = useRef<HTMLDivElement>(null);
  const tallRows = useMemo(() => new TallRows(sizes.row), [sizes]);
  const { first, last, tall } = useRowsInSight(scroller, sizes, tallRows);
  const [active, setActive] = useState<ActiveRow>({ key: undefined, index: 0 });
  const view = useWindow(collection, { where, sortBy, ...windowRange(first, last) });
  const { total, rows, keys } = view;
  const widths = useColumnWidths(name, columns, rows);
  const openRows = settings[`${name}.open`]?.split(',') ?? [];

  useLayoutEffect(() => {
    tallRows.place(keys, view.offset);
  }, [tallRows, keys, view.offset]);
  useEffect(() => {
    onTotal(total);
  }, [onTotal, total]);
  useKeptScroll(scroller, JSON.stringify([name, filter, order]));

  const activeAt = activeIndex(active, view);
  const activeKey = keys[activeAt - view.offset];
  const activeRow = rows[activeAt - view.offset];

  function onKeyDown(event: KeyboardEvent): void {
    if (event.target !== event.currentTarget || total === 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const { key, currentTarget: table } = event;
    if (key === 'Enter' || key === ' ') {
      event.preventDefault();
      if (activeKey !== undefined && activeRow !== undefined) go({ opened: linkTo(activeRow, activeKey) });
      return;
    }
    if (expansion && activeRow !== undefined && (key === 'ArrowRight' || key === 'ArrowLeft')) {
      event.preventDefault();
      setOpen(name, expansion.keyOf(activeRow), key === 'ArrowRight');
      return;
    }
    const index = movedTo(key, activeAt, total, rowsInPage(table.clientHeight, sizes));
    if (index === undefined) return;
    event.preventDefault();
    setActive({ key: keys[index - view.offset], index });
    table.scrollTop = scrollTopFor(index, table, sizes, tall);
  }

  const geometry = {
    '--columns': expansion ? `28px ${widths.template}` : widths.template,
    '--row-width': `${widths.least + (expansion ? 28 : 0)}px`,
    '--row-height': `${sizes.row}px`,
    '--head-height': `${sizes.head}px`,
  } as CSSProperties;
  return (
    <div className="table-place">
      <div
        id="table"
        className={`table ${expansion ? 'expandable' : ''} ${sizes === twoLines ? 'two-lines' : ''}`}
        ref={scroller}
        role="grid"
        aria-label={label}
        // The value -1 means that the number of rows is not known.
        aria-rowcount={isArriving || isRefused ? -1 : total + 1}
        aria-busy={isArriving}
        aria-activedescendant={activeKey === undefined ? undefined : rowId(activeAt)}
        tabIndex={0}
        style={geometry}
        onKeyDown={onKeyDown}
      >
        <TableHead columns={columns} widths={widths} isExpandable={expansion !== undefined} />
        <div role="rowgroup" className="table-rows" style={{ height: topOf(total, sizes.row, tall) }}>
          {Array.from({ length: Math.max(0, Math.min(total, last + 1) - first) }, (_, position) => {
            const index = first + position;
            const row = rows[index - view.offset];
            const key = keys[index - view.offset];
            if (row === undefined || key === undefined) return null;
            const link = linkTo(row, key);
            const isOpen = expansion !== undefined && openRows.includes(expansion.keyOf(row));
            const below = expansion?.details(row, isOpen);
            return (
              <div
                key={key}
                role="presentation"
                className="table-item"
                data-key={key}
                data-index={index}
                ref={expansion && tallRows.observe}
                style={{ transform: `translateY(${topOf(index, sizes.row, tall)}px)` }}
              >
                <TableRow
                  id={rowId(index)}
                  row={row}
                  rowKey={key}
                  columns={columns}
                  index={index}
                  isActive={index === activeAt}
                  isOpened={opened?.resource === link.resource && opened.key === link.key}
                  linkTo={linkTo}
                  classOf={classOf}
                  toggle={
                    expansion && (
                      <Toggle table={name} row={expansion.keyOf(row)} title={expansion.nameOf(row)} isOpen={isOpen} />
                    )
                  }
                />
                {below !== undefined && (
                  <div role="row" className="table-below">
                    <div role="gridcell" aria-colspan={columns.length + 1}>
                      {below}
                    </div>
                  </div>
                )}
              </div>
            );
          })}
        </div>
      </div>
      {/* If the user may not read the rows, the notice of the panel explains that. */}
      {total === 0 && !isRefused && (
        <div className="instead-of-rows">
          {hasSynced && !isArriving ? <div className="empty">{empty}</div> : <Skeleton />}
        </div>
      )}
    </div>
  );
}

function rowId(index: number): string {
  return `row-${index}`;
}

interface ToggleProps {
  readonly table: string;
  readonly row: string;
  readonly title: string;
  readonly isOpen: boolean;
}

function Toggle({ table, row, title, isOpen }: ToggleProps): ReactNode {
  return (
    <button
      type="button"
      tabIndex={-1}
      aria-expanded={isOpen}
      aria-label={`${isOpen ? 'Close' : 'Open'} ${title}`}
      onClick={() => {
        setOpen(table, row, !isOpen);
      }}
    >
      <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span>
    </button>
  );
}

/** Expands or collapses a row of a table. The address lists the expanded rows. */
function setOpen(table: string, row: string, isOpen: boolean): void {
  const { [`${table}.open`]: open, ...settings } = pageAddress().settings;
  const others = open?.split(',').filter((other) => other !== row) ?? [];
  const next = (isOpen ? [...others, row] : others).join(',');
  go({ settings: next === '' ? settings : { ...settings, [`${table}.open`]: next } }, { replace: true });
}

/** Renders placeholders while rows load. */
function Skeleton(): ReactNode {
  return (
    <div className="skeleton" aria-hidden="true">
      {Array.from({ length: 12 }, (_, index) => (
        <span key={index} />
      ))}
    </div>
  );
}

/** The scroll position of each shown content. */
const scrolled = new Map<string, number>();

/**
 * Scrolls to the first row when the content changes. After Back or Forward, restores the previous
 * position.
 */
function useKeptScroll(scroller: { readonly current: HTMLElement | null }, shown: string): void {
  useEffect(() => {
    const table = scroller.current;
    if (table === null) return;
    const to = cameBack() ? (scrolled.get(shown) ?? 0) : 0;
    table.scrollTo({ top: to });
    // The rows of that position arrive with the next frame.
    const frame = to === 0 ? undefined : requestAnimationFrame(() => table.scrollTo({ top: to }));
    const keep = (): void => {
      scrolled.set(shown, table.scrollTop);
    };
    table.addEventListener('scroll', keep, { passive: true });
    return () => {
      if (frame !== undefined) cancelAnimationFrame(frame);
      table.removeEventListener('scroll', keep);
    };
  }, [scroller, shown]);
}
