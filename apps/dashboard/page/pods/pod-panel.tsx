import { useCallback, useMemo, useState, type ReactNode } from 'react';
import { useHasSynced, useObject } from 'rx-informers/react';
import { podResource, type Opened } from '../address/page-address.js';
import { go, usePageAddress } from '../address/use-page-address.js';
import { useIsRefused } from '../cluster/connection.js';
import { useLivePods } from '../cluster/informers.js';
import { NamespaceBox } from '../cluster/namespace.js';
import { PanelNotice } from '../cluster/panel-notice.js';
import { everyPod, useTotals } from '../facets/facet-counts.js';
import { useIsNarrow } from '../frame/narrow.js';
import { useUsageParts } from '../metrics/use-usage-parts.js';
import { sortingOf } from '../table/columns.js';
import { oneLine, twoLines } from '../table/rows.js';
import { Table } from '../table/table.js';
import { countText } from '../text/text.js';
import { isUnconfirmed } from '../writes/unconfirmed.js';
import { useArrivingPods } from './arriving-pods.js';
import { ColumnChooser } from './column-chooser.js';
import { FilterBar } from './filter-bar.js';
import { columnsSetting, podColumns, possibleColumns, shownColumns, troubleFirst } from './pod-columns.js';
import { podEntriesOf, usePodEntries, type PodEntry } from './pod-entries.js';
import { filterPredicate, isFiltering, noFilter } from './pod-filter.js';
import { podPhase } from './pod-phase.js';

/** Renders the table of pods with its filter and the number of pods. */
export function PodPanel(): ReactNode {
  const pods = useLivePods();
  const entries = usePodEntries();
  const hasSynced = useHasSynced(entries);
  const { filter, order, settings } = usePageAddress();
  const all = useObject(useTotals(), everyPod)?.pods ?? 0;
  const isArriving = !useIsRefused(entries) && !hasSynced;
  const arriving = useArrivingPods(isArriving);
  const [total, setTotal] = useState<number>();
  // The number of rows is not known while only a part of the pods has arrived.
  const onTotal = useCallback((shown: number) => setTotal(arriving === undefined ? shown : undefined), [arriving]);
  const sizes = useIsNarrow() ? twoLines : oneLine;
  const where = useMemo(() => filterPredicate(filter), [filter]);
  const usage = useUsageParts();
  const possible = useMemo(() => possibleColumns(usage.columns), [usage]);
  // Each read of usage creates new columns. The rows are sorted again for them only if they are
  // sorted by usage.
  const sortable = usage.columns.some(({ name }) => order.some((by) => by.name === name)) ? possible : podColumns;
  const sortBy = useMemo(() => sortingOf(order, sortable, troubleFirst), [order, sortable]);
  const shown = settings[columnsSetting];
  const columns = useMemo(() => shownColumns(shown, possible), [shown, possible]);
  return (
    <section className="panel pods" aria-labelledby="pods-title">
      <div className="panel-head">
        <h2 id="pods-title">
          Pods <span className="count">{hasSynced && total !== undefined ? countText(total) : '–'}</span>
        </h2>
        {hasSynced && isFiltering(filter) && <span className="fine">of {countText(all)}</span>}
        <FilterBar fields="name, node, status, address" />
        {usage.note}
        <span className="panel-tools">
          {order.length > 0 && (
            <button
              type="button"
              className="action"
              onClick={() => {
                go({ order: [] });
              }}
            >
              Trouble first
            </button>
          )}
          <ColumnChooser possible={possible} />
        </span>
      </div>
      <PanelNotice informer={pods} arriving={arriving} what="pods">
        <NamespaceBox />
      </PanelNotice>
      <Table
        name="pods"
        label="Pods"
        collection={arriving === undefined ? entries : podEntriesOf(arriving)}
        isArriving={isArriving}
        columns={columns}
        where={where}
        sortBy={sortBy}
        sizes={sizes}
        linkTo={podLink}
        classOf={podClass}
        empty={<NoPods />}
        onTotal={onTotal}
      />
    </section>
  );
}

function podLink(_: PodEntry, key: string): Opened {
  return { resource: podResource, key };
}

function podClass({ pod }: PodEntry): string {
  return isUnconfirmed(pod) ? `${podPhase(pod)} unconfirmed` : podPhase(pod);
}

/** Renders the reason why there are no rows, and a proposed action. */
function NoPods(): ReactNode {
  const { filter } = usePageAddress();
  if (!isFiltering(filter)) return <p>There are no pods here yet. They appear as they are created.</p>;
  return (
    <>
      <p>No pod matches the filter.</p>
      <button
        type="button"
        className="action"
        onClick={() => {
          go({ filter: noFilter });
        }}
      >
        Clear the filter
      </button>
    </>
  );
}
