import { useMemo, useState, type ReactNode } from 'react';
import type { Opened } from '../address/page-address.js';
import { PageLink, usePageAddress } from '../address/use-page-address.js';
import { useIsRefused } from '../cluster/connection.js';
import { usePods } from '../cluster/informers.js';
import { PanelNotice } from '../cluster/panel-notice.js';
import { FilterBar } from '../pods/filter-bar.js';
import { usePodEntries } from '../pods/pod-entries.js';
import { sortingOf } from '../table/columns.js';
import { highLine } from '../table/rows.js';
import { Table } from '../table/table.js';
import { ServiceTable } from './service-table.js';
import { useWorkloads } from './use-workloads.js';
import { podPart, workloadsWithPods } from './workload-collections.js';
import { troubleFirst, workloadColumns, workloadCondition } from './workload-columns.js';
import { RolloutBars, WorkloadDetails } from './workload-details.js';
import { workloadResources } from './workload-node.js';
import type { Workload } from './workload.js';

/**
 * Renders the workloads as a tree: Deployments with their rollouts, and Services with their
 * endpoints.
 */
export function WorkloadsView(): ReactNode {
  const pods = usePods();
  const { settings } = usePageAddress();
  const isRefused = useIsRefused(pods);
  const [total, setTotal] = useState<number>();
  const isServices = settings['workloads.show'] === 'services';
  return (
    <section className="panel workloads" aria-labelledby="workloads-title">
      <div className="panel-head">
        <h2 id="workloads-title">
          {isServices ? 'Services' : 'Workloads'} <span className="count">{isRefused ? '–' : (total ?? '–')}</span>
        </h2>
        <ShowSwitch isServices={isServices} />
        <FilterBar fields={isServices ? 'name, type, selector, port' : 'name, kind, status, image'} />
      </div>
      <PanelNotice informer={pods} what="pods" />
      {isServices ? <ServiceTable onTotal={setTotal} /> : <WorkloadTable onTotal={setTotal} />}
    </section>
  );
}

function ShowSwitch({ isServices }: { readonly isServices: boolean }): ReactNode {
  const { settings } = usePageAddress();
  const { ['workloads.show']: _, ...others } = settings;
  return (
    <nav className="show-switch" aria-label="What to show">
      <PageLink to={{ settings: others }} isCurrent={!isServices}>
        Workloads
      </PageLink>
      <PageLink to={{ settings: { ...others, 'workloads.show': 'services' } }} isCurrent={isServices}>
        Services
      </PageLink>
    </nav>
  );
}

function WorkloadTable({ onTotal }: { readonly onTotal: (total: number) => void }): ReactNode {
  const { filter, order } = usePageAddress();
  const collections = useWorkloads();
  const { tree, missing } = collections;
  const entries = usePodEntries();
  const part = useMemo(() => podPart(filter), [filter]);
  const shown = useMemo(
    () => (part === undefined ? collections.workloads : workloadsWithPods(collections, entries, part)),
    [collections, entries, part],
  );
  const where = useMemo(() => workloadCondition(filter), [filter]);
  const sortBy = useMemo(() => sortingOf(order, workloadColumns, troubleFirst), [order]);
  return (
    <>
      {missing.length > 0 && (
        <p className="fine pending-notice">
          Not shown: {missing.join(', ')}. You do not have permission to read them, or they are not installed.
        </p>
      )}
      <Table
        name="workloads"
        label="Workloads"
        collection={shown}
        columns={workloadColumns}
        where={where}
        sortBy={sortBy}
        sizes={highLine}
        linkTo={workloadLink}
        expansion={{
          keyOf: ({ uid }) => uid,
          nameOf: ({ kind, key }) => `${kind} ${key}`,
          details: (workload, isOpen) => {
            if (isOpen) return <WorkloadDetails workload={workload} tree={tree} />;
            const isRolling = workload.rollout !== undefined && workload.revisions.length > 0;
            return isRolling ? <RolloutBars workload={workload} tree={tree} /> : undefined;
          },
        }}
        empty="No workloads, or none match the filter."
        onTotal={onTotal}
      />
    </>
  );
}

function workloadLink({ from, key }: Workload): Opened {
  return { resource: workloadResources[from], key };
}
