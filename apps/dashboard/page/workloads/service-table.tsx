import { useMemo, type ReactNode } from 'react';
import { services as serviceResource } from 'rx-informers';
import { useByIndex } from 'rx-informers/react';
import { severities } from 'rx-informers/resources';
import type { SortColumn } from 'rx-informers/views';
import type { Opened } from '../address/page-address.js';
import { usePageAddress } from '../address/use-page-address.js';
import { usePods } from '../cluster/informers.js';
import { PanelNotice } from '../cluster/panel-notice.js';
import { useKind } from '../kinds/use-kind.js';
import { usePodEntries } from '../pods/pod-entries.js';
import type { PodFilter } from '../pods/pod-filter.js';
import { byAge, sortingOf, textColumn, type Column } from '../table/columns.js';
import { highLine } from '../table/rows.js';
import { Table } from '../table/table.js';
import { Age } from '../text/age.js';
import { plainText } from '../text/text.js';
import { typedTest } from '../text/typed.js';
import { PodBar, PodCells, SeverityDot } from './pod-marks.js';
import {
  selectedPart,
  serviceCollections,
  servicesWithPods,
  type ServiceCollections,
  type ServiceRow,
} from './service-collections.js';
import { PodLines } from './workload-details.js';

const columns: readonly Column<ServiceRow>[] = [
  textColumn('name', 'Name', [150, 240, 460], ({ name }) => name),
  textColumn('kind', 'Type', [92, 104, 140], ({ type }) => type),
  textColumn('namespace', 'Namespace', [88, 110, 240], ({ namespace }) => namespace),
  {
    ...textColumn('status', 'Endpoints', [140, 170, 320], ({ status }) => status),
    sort: { value: ({ severity }) => severities.indexOf(severity) },
    mark: 14,
    cell: ({ severity, status }) => (
      <>
        <SeverityDot severity={severity} />
        {plainText(status, 80)}
      </>
    ),
  },
  {
    name: 'pods',
    title: 'Pods',
    sort: { value: ({ endpoints }) => endpoints.pods },
    width: [110, 190, 190],
    cell: ({ endpoints }) => <PodBar pods={endpoints.pods} phases={endpoints.phases} wanted={0} />,
  },
  {
    name: 'ready',
    title: 'Ready',
    sort: { value: ({ endpoints }) => endpoints.ready },
    width: [68, 68, 68],
    isNumeric: true,
    cell: ({ endpoints }) => `${endpoints.ready}/${endpoints.pods}`,
  },
  textColumn('ports', 'Ports', [100, 120, 280], ({ ports }) => ports),
  textColumn('image', 'Selector', [130, 200, 420], ({ selector }) => shortSelector(selector)),
  {
    name: 'age',
    title: 'Age',
    sort: { value: ({ createdAt }) => byAge(createdAt) },
    width: [64, 64, 64],
    isNumeric: true,
    cell: ({ createdAt }) => <Age since={createdAt} />,
  },
];

const troubleFirst: readonly SortColumn<ServiceRow>[] = [
  { value: ({ severity }) => severities.indexOf(severity) },
  { value: ({ namespace }) => namespace },
  { value: ({ name }) => name },
];

/**
 * Returns the selector without the prefixes of its labels: `name=web` for
 * `app.kubernetes.io/name=web`.
 */
function shortSelector(selector: string): string {
  return selector.replace(/(^|, )[^=/,]+\//g, '$1');
}

function condition({ chosen, text: typed }: PodFilter): ((row: ServiceRow) => boolean) | undefined {
  const namespaces = chosen['namespace'];
  const isTyped = typedTest(typed);
  if (namespaces === undefined && isTyped === undefined) return undefined;
  return ({ namespace, name, type, status, selector, ports, labels }) =>
    namespaces?.includes(namespace) !== false &&
    isTyped?.(() => `${namespace}/${name} ${type} ${status} ${selector} ${ports}`, labels) !== false;
}

/** Renders the Services with the pods that they select, trouble first. */
export function ServiceTable({ onTotal }: { readonly onTotal: (total: number) => void }): ReactNode {
  const { filter, order } = usePageAddress();
  const pods = usePods();
  const informer = useKind(serviceResource);
  const collections = useMemo(() => serviceCollections(informer, pods), [informer, pods]);
  const entries = usePodEntries();
  const part = useMemo(() => selectedPart(filter), [filter]);
  const shown = useMemo(
    () => (part === undefined ? collections.services : servicesWithPods(collections, entries, part)),
    [collections, entries, part],
  );
  const where = useMemo(() => condition(filter), [filter]);
  const sortBy = useMemo(() => sortingOf(order, columns, troubleFirst), [order]);
  return (
    <>
      <PanelNotice informer={informer} what="services" />
      <Table
        name="services"
        label="Services"
        collection={shown}
        columns={columns}
        where={where}
        sortBy={sortBy}
        sizes={highLine}
        linkTo={serviceLink}
        expansion={{
          keyOf: ({ key }) => key,
          nameOf: ({ key }) => `Service ${key}`,
          details: (row, isOpen) => (isOpen ? <ServiceDetails row={row} selected={collections.selected} /> : undefined),
        }}
        empty="No services, or none match the filter."
        onTotal={onTotal}
      />
    </>
  );
}

function serviceLink({ key }: ServiceRow): Opened {
  return { resource: 'v1/services', key };
}

interface ServiceDetailsProps {
  readonly row: ServiceRow;
  readonly selected: ServiceCollections['selected'];
}

function ServiceDetails({ row, selected }: ServiceDetailsProps): ReactNode {
  const pods = useByIndex(selected, 'selectedBy', row.key).map(({ object }) => object);
  return (
    <div className="workload-details">
      {pods.length === 0 ? (
        <p className="fine">
          {row.selector === ''
            ? 'It has no selector: its endpoints are managed elsewhere.'
            : `No pod in ${plainText(row.namespace)} has the labels ${plainText(row.selector)}.`}
        </p>
      ) : (
        <>
          <PodCells pods={pods} wanted={0} />
          <PodLines pods={pods} />
        </>
      )}
    </div>
  );
}
