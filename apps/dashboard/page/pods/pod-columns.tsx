import type { ReactNode } from 'react';
import type { Pod } from 'rx-informers';
import type { SortColumn } from 'rx-informers/views';
import { nodeResource } from '../address/page-address.js';
import { PageLink } from '../address/use-page-address.js';
import { byAge, type Column } from '../table/columns.js';
import { MiddleCut } from '../table/table-row.js';
import { Age, useSecond } from '../text/age.js';
import { naturalOrder, plainText } from '../text/text.js';
import { PhaseDot } from './phase-dot.js';
import type { PodEntry } from './pod-entries.js';
import { indexByPlacement, ownerOf, splitWorkload } from './pod-filter.js';
import { podPhase, podStatusText, readinessOf, restartsOf, statusOf } from './pod-phase.js';

export interface PodColumn extends Column<PodEntry> {
  /** Whether the column is shown only if the address names it. */
  readonly isExtra?: boolean;
}

export const podColumns: readonly PodColumn[] = [
  textColumn('name', 'Name', [120, 240, 460], ({ pod }) => pod.metadata.name),
  textColumn('namespace', 'Namespace', [72, 110, 240], ({ pod }) => pod.metadata.namespace ?? ''),
  {
    ...textColumn('status', 'Status', [104, 130, 230], ({ pod }) => podStatusText(pod)),
    mark: 14,
    cell: ({ pod }) => <PodStatus pod={pod} />,
  },
  {
    ...numberColumn('ready', 'Ready', 62, ({ pod }) => readinessOf(pod).ready / Math.max(1, readinessOf(pod).all)),
    cell: ({ pod }) => `${readinessOf(pod).ready}/${readinessOf(pod).all}`,
    tone: ({ pod }) => {
      const { ready, all } = readinessOf(pod);
      return ready === all || podPhase(pod) === 'succeeded' ? undefined : 'lacking';
    },
  },
  {
    ...numberColumn('restarts', 'Restarts', 116, ({ pod }) => restartsOf(pod)),
    cell: ({ pod }) => <PodRestarts pod={pod} />,
    tone: ({ pod }) => (restartsOf(pod) > 0 ? undefined : 'none'),
  },
  {
    ...textColumn('owner', 'Workload', [96, 150, 300], ({ pod }) => splitWorkload(ownerOf(pod) ?? '').name),
    sort: { value: ({ pod }) => ownerOf(pod) ?? '', collator: naturalOrder },
    isExtra: true,
  },
  {
    ...textColumn('node', 'Node', [96, 140, 320], ({ pod }) => pod.spec?.nodeName ?? ''),
    cell: ({ pod }) => <PodNode pod={pod} />,
    tone: ({ pod }) => (indexByPlacement(pod) === '' ? 'unscheduled' : undefined),
  },
  { ...textColumn('ip', 'IP', [96, 116, 280], ({ pod }) => pod.status?.podIP ?? ''), isExtra: true },
  {
    ...numberColumn('age', 'Age', 64, ({ pod }) => byAge(pod.metadata.creationTimestamp)),
    cell: ({ pod }) => <Age since={pod.metadata.creationTimestamp} />,
  },
];

function textColumn(
  name: string,
  title: string,
  width: PodColumn['width'],
  text: (entry: PodEntry) => string,
): PodColumn {
  const column: PodColumn = { name, title, sort: { value: text, collator: naturalOrder }, text, width };
  // A row draws its name as a link, and `cell` beside it.
  if (name === 'name') return column;
  return { ...column, cell: (entry) => <MiddleCut text={plainText(text(entry))} /> };
}

function numberColumn(name: string, title: string, width: number, value: (entry: PodEntry) => number): PodColumn {
  return { name, title, sort: { value }, width: [width, width, width], isNumeric: true };
}

interface PodProps {
  readonly pod: Pod;
}

function PodStatus({ pod }: PodProps): ReactNode {
  // Reads the phase every second, because a pod becomes failing without an update if it still
  // exists after its grace period.
  const phase = useSecond((now) => podPhase(pod, now));
  return (
    <>
      <PhaseDot phase={phase} />
      {plainText(podStatusText(pod), 60)}
    </>
  );
}

function PodRestarts({ pod }: PodProps): ReactNode {
  const { lastRestart } = statusOf(pod);
  return (
    <>
      {restartsOf(pod)}
      {lastRestart !== undefined && (
        <span className="fine">
          {' '}
          (<Age since={lastRestart} /> ago)
        </span>
      )}
    </>
  );
}

function PodNode({ pod }: PodProps): ReactNode {
  const key = indexByPlacement(pod);
  if (key === '') return 'not scheduled';
  return (
    <PageLink className="node-link" isPassedOver to={{ opened: { resource: nodeResource, key } }}>
      <MiddleCut text={plainText(pod.spec?.nodeName ?? '')} />
    </PageLink>
  );
}

/** The address parameter that lists the shown columns. */
export const columnsSetting = 'pods.columns';

/** Returns the available columns. Columns of usage exist only if usage is measured. */
export function possibleColumns(usage: readonly PodColumn[] = []): readonly PodColumn[] {
  return podColumns.flatMap((column) => (column.name === 'restarts' ? [column, ...usage] : [column]));
}

/**
 * Returns the columns that a setting names, in the order of the table. Returns the default columns
 * without a setting. Always includes the name.
 */
export function shownColumns(setting: string | undefined, possible = possibleColumns()): readonly PodColumn[] {
  const names = setting?.split(',');
  return possible.filter(
    ({ name, isExtra = false }) => isFixed(name) || (names === undefined ? !isExtra : names.includes(name)),
  );
}

/** Returns whether a column cannot be hidden. */
export function isFixed(name: string): boolean {
  return name === 'name';
}

/** Returns the setting after a column was shown or hidden; `undefined` for the default columns. */
export function toggledColumn(
  setting: string | undefined,
  name: string,
  possible = possibleColumns(),
): string | undefined {
  const before = shownColumns(setting, possible);
  const next = possible.filter((column) => before.includes(column) !== (column.name === name));
  const isUsual =
    next.every(({ isExtra = false }) => !isExtra) && next.length === shownColumns(undefined, possible).length;
  return isUsual ? undefined : next.map((column) => column.name).join(',');
}

/** Sorts the worst pods first, and then by name. */
export const troubleFirst: readonly SortColumn<PodEntry>[] = [
  { value: ({ rank }) => rank },
  { value: ({ pod }) => pod.metadata.name, collator: naturalOrder },
];
