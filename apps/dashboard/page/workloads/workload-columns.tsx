import { severities } from 'rx-informers/resources';
import type { SortColumn } from 'rx-informers/views';
import { appOf, workloadOfFilter, type PodFilter } from '../pods/pod-filter.js';
import { byAge, textColumn, type Column } from '../table/columns.js';
import { Age } from '../text/age.js';
import { naturalOrder, plainText } from '../text/text.js';
import { typedTest } from '../text/typed.js';
import { PodBar, SeverityDot } from './pod-marks.js';
import { shortImage } from './workload-node.js';
import type { Workload } from './workload.js';

export const workloadColumns: readonly Column<Workload>[] = [
  {
    ...textColumn('name', 'Name', [150, 240, 460], ({ name }) => name),
    sort: { value: nameOf, collator: naturalOrder },
  },
  textColumn('kind', 'Kind', [104, 108, 140], ({ kind }) => kind),
  textColumn('namespace', 'Namespace', [88, 110, 240], ({ namespace }) => namespace),
  {
    ...textColumn('status', 'Status', [170, 236, 320], ({ status }) => status),
    sort: { value: ({ severity }) => severities.indexOf(severity) },
    mark: 14,
    cell: ({ severity, status, isUnconfirmed }) => (
      <>
        <SeverityDot severity={severity} />
        {plainText(status, 60)}
        {isUnconfirmed && <span className="saving"> saving…</span>}
      </>
    ),
  },
  {
    name: 'pods',
    title: 'Pods',
    sort: { value: ({ totals }) => totals.pods },
    width: [110, 190, 190],
    cell: ({ totals, wanted }) => <PodBar pods={totals.pods} phases={totals.phases} wanted={wanted} />,
  },
  {
    name: 'ready',
    title: 'Ready',
    sort: { value: ({ totals, wanted }) => totals.ready - wanted },
    width: [68, 68, 68],
    isNumeric: true,
    cell: ({ from, totals, wanted }) =>
      `${totals.ready}/${Math.max(wanted, from === 'jobs' || from === 'cronJobs' ? totals.pods : wanted)}`,
  },
  {
    name: 'restarts',
    title: 'Restarts',
    sort: { value: ({ totals }) => totals.restarts },
    width: [80, 80, 80],
    isNumeric: true,
    cell: ({ totals }) => totals.restarts,
    tone: ({ totals }) => (totals.restarts > 0 ? undefined : 'none'),
  },
  textColumn('image', 'Image', [110, 190, 420], ({ images }) => images.map(shortImage).join(', ')),
  {
    name: 'age',
    title: 'Age',
    sort: { value: ({ createdAt }) => byAge(createdAt) },
    width: [64, 64, 64],
    isNumeric: true,
    cell: ({ createdAt }) => <Age since={createdAt} />,
  },
];

function nameOf({ name }: Workload): string {
  return name;
}

/**
 * Sorts by severity, the worst first. Among equal severities, rollouts come first and single pods
 * last. Then sorts by namespace and name. This is the default order. It also sorts rows that are
 * equal in the chosen order.
 */
export const troubleFirst: readonly SortColumn<Workload>[] = [
  { value: ({ severity }) => severities.indexOf(severity) },
  { value: ({ rollout }) => rollout === undefined },
  { value: ({ from }) => from === 'pods' },
  { value: ({ namespace }) => namespace },
  { value: nameOf, collator: naturalOrder },
];

/**
 * Returns the condition of a filter: the facets, and the typed words. Returns `undefined` if every
 * workload passes.
 */
export function workloadCondition({ chosen, text }: PodFilter): ((workload: Workload) => boolean) | undefined {
  const conditions = Object.entries(chosen).flatMap(([facet, values]) => {
    const read = facetOf(facet);
    return read === undefined ? [] : [(workload: Workload) => values.some((value) => read(workload).includes(value))];
  });
  const isTyped = typedTest(text);
  if (isTyped) conditions.push((workload) => isTyped(() => textOf(workload), workload.labels));
  if (conditions.length === 0) return undefined;
  return (workload) => conditions.every((isMet) => isMet(workload));
}

/**
 * Returns the function that reads the values of a facet from a workload. Returns `undefined` for a
 * facet that only single pods have.
 */
function facetOf(facet: string): ((workload: Workload) => readonly string[]) | undefined {
  if (facet === 'namespace') return ({ namespace }) => [namespace];
  if (facet === 'status') return ({ totals, status }) => [...Object.keys(totals.reasons), status];
  if (facet === 'owner')
    return ({ kind, namespace, name, labels }) => [workloadOfFilter(kind, namespace, name, labels)];
  if (facet === 'app') return ({ labels }) => [appOf(labels) ?? []].flat();
  if (!facet.startsWith('label.')) return undefined;
  const label = facet.slice('label.'.length);
  return ({ labels }) => (labels[label] === undefined ? [] : [labels[label]]);
}

function textOf({ namespace, name, kind, status, images, totals }: Workload): string {
  const troubles = Object.keys(totals.troubles).join(' ');
  return `${namespace}/${name} ${kind} ${status} ${troubles} ${images.join(' ')}`;
}
