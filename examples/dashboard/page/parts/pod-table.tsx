import { useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { useHasSynced, useWindow } from 'rx-informers/react';
import { usePods } from '../cluster/informers.js';
import { activeIndex, movedTo, type ActiveRow } from '../model/active-row.js';
import type { Opened } from '../model/opened.js';
import { podSelection, type PodFilter } from '../model/pod-filter.js';
import { nextSorting, sortColumns, type SortedBy } from '../model/sorting.js';
import { headHeight, rowHeight, rowsInPage, scrollTopFor } from '../model/row-scroll.js';
import { windowRange } from '../model/window-range.js';
import { PodRow } from './pod-row.js';
import { PodTableHead } from './pod-table-head.js';

interface PodTableProps {
  readonly filter: PodFilter;
  readonly openedKey: string | undefined;
  readonly onOpen: (opened: Opened) => void;
  readonly onTotal: (total: number) => void;
}

/** Pods, of which only those in sight are read, sorted and drawn. One stop of the Tab key: arrows move, Enter opens. */
export function PodTable({ filter, openedKey, onOpen, onTotal }: PodTableProps): ReactNode {
  const pods = usePods();
  const hasSynced = useHasSynced(pods);
  const scroller = useRef<HTMLDivElement>(null);
  const [order, setOrder] = useState<readonly SortedBy[]>([]);
  const [range, setRange] = useState(() => windowRange(0, 0));
  const [active, setActive] = useState<ActiveRow>({ key: undefined, index: 0 });
  const selection = useMemo(() => podSelection(filter), [filter]);
  const sortBy = useMemo(() => sortColumns(order), [order]);
  const view = useWindow(pods, { ...selection, sortBy, ...range });
  const { total } = view;

  const virtualizer = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 6,
    scrollMargin: headHeight,
  });
  const items = virtualizer.getVirtualItems();
  const { offset, limit } = windowRange(items[0]?.index ?? 0, items.at(-1)?.index ?? 0);
  useEffect(() => {
    setRange({ offset, limit });
  }, [offset, limit]);
  useEffect(() => {
    onTotal(total);
  }, [onTotal, total]);
  useEffect(() => {
    scroller.current?.scrollTo({ top: 0 });
  }, [filter, order]);

  const open = useCallback(
    (key: string) => {
      onOpen({ kind: 'Pod', key });
    },
    [onOpen],
  );
  const activeAt = activeIndex(active, view);
  const activeKey = view.keys[activeAt - view.offset];

  function onKeyDown(event: KeyboardEvent): void {
    if (event.target !== event.currentTarget || total === 0) return;
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      if (activeKey !== undefined) open(activeKey);
      return;
    }
    const table = event.currentTarget;
    const index = movedTo(event.key, activeAt, total, rowsInPage(table));
    if (index === undefined) return;
    event.preventDefault();
    setActive({ key: view.keys[index - view.offset], index });
    table.scrollTop = scrollTopFor(index, table);
  }

  return (
    <div
      id="pods"
      className="pod-table"
      ref={scroller}
      role="grid"
      aria-label="Pods"
      aria-rowcount={total + 1}
      aria-activedescendant={activeKey === undefined ? undefined : rowId(activeAt)}
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <PodTableHead
        order={order}
        onSort={(name, isAdding) => {
          setOrder(nextSorting(order, name, isAdding));
        }}
      />
      <div role="rowgroup" className="pod-rows" style={{ height: virtualizer.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const pod = view.rows[index - view.offset];
          const key = view.keys[index - view.offset];
          if (!pod || key === undefined) return null;
          return (
            <PodRow
              key={key}
              id={rowId(index)}
              podKey={key}
              pod={pod}
              index={index}
              top={start - headHeight}
              isActive={index === activeAt}
              isOpened={key === openedKey}
              onOpen={open}
            />
          );
        })}
      </div>
      {hasSynced && total === 0 && <p className="empty">No pods, or none that the filter lets through.</p>}
    </div>
  );
}

function rowId(index: number): string {
  return `pod-row-${index}`;
}
