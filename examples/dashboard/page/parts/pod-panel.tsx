import { useState, type ReactNode } from 'react';
import { usePods } from '../cluster/informers.js';
import type { FilterAction, PodFilter } from '../model/pod-filter.js';
import type { Opened } from '../model/opened.js';
import { FilterBar } from './filter-bar.js';
import { PanelNotice } from './panel-notice.js';
import { PodTable } from './pod-table.js';

interface PodPanelProps {
  readonly filter: PodFilter;
  readonly onFilter: (action: FilterAction) => void;
  readonly opened: Opened | undefined;
  readonly onOpen: (opened: Opened) => void;
}

export function PodPanel({ filter, onFilter, opened, onOpen }: PodPanelProps): ReactNode {
  const pods = usePods();
  const [total, setTotal] = useState(0);
  return (
    <section className="panel pods" aria-labelledby="pods-title">
      <div className="panel-head">
        <h2 id="pods-title">
          Pods <span className="count">{total}</span>
        </h2>
        <FilterBar filter={filter} onFilter={onFilter} />
      </div>
      <PanelNotice informer={pods} what="pods" />
      <PodTable
        filter={filter}
        openedKey={opened?.kind === 'Pod' ? opened.key : undefined}
        onOpen={onOpen}
        onTotal={setTotal}
      />
    </section>
  );
}
