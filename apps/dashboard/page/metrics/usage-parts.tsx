import type { ReactNode } from 'react';
import type { Collection, Pod } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { map, type Observable } from 'rxjs';
import type { Cluster } from '../cluster/cluster.js';
import type { MapCell, MapCells } from '../nodes/map-cells.js';
import type { PodColumn } from '../pods/pod-columns.js';
import { indexByPlacement } from '../pods/pod-filter.js';
import { podPhase } from '../pods/pod-phase.js';
import { durationText, useLiveSecond } from '../text/age.js';
import { measured$, type Measured } from './measured.js';
import { TileUsage } from './tile-usage.js';
import { UsageCell } from './usage-cell.js';
import { amountNames, amountTitles, podBound, shareOf, type AmountName } from './usage.js';
import type { UsageColour, UsageParts } from './use-usage-parts.js';

/**
 * Emits the parts of the pods view that show usage. `Tile` is always among them, because nodes may
 * have metrics even if pods have none.
 */
export function usageParts(cluster: Cluster, namespace: string | undefined): Observable<UsageParts> {
  return measured$(cluster, 'pods', namespace).pipe(
    map((measured) => ({
      columns: measured.isAvailable ? podUsageColumns(measured) : [],
      colours: measured.isAvailable ? usageColours(measured) : [],
      note: <FailingNote measured={measured} />,
      Tile: TileUsage,
    })),
  );
}

type UsageOfPod = Pick<Measured, 'of'>;

/** Returns the columns CPU and Memory, with the figures of one read. */
export function podUsageColumns({ of }: UsageOfPod): readonly PodColumn[] {
  return amountNames.map((name) => ({
    name,
    title: amountTitles[name],
    description: `${amountTitles[name]} in use, from metrics.k8s.io, which is read every 15 s`,
    sort: { value: ({ pod }) => of(pod)?.[name] },
    cell: ({ pod }) => <UsageCell name={name} amount={of(pod)?.[name]} bound={podBound(name, pod)} />,
    width: [76, 76, 76],
    isNumeric: true,
  }));
}

/** The smallest share of its limit or request at which a pod gets each heat colour. */
const leastShares: readonly number[] = [0, 0.5, 0.8, 1];

/** Returns the colours of the map by the usage of pods, with the figures of one read. */
function usageColours({ of }: UsageOfPod): readonly UsageColour[] {
  return amountNames.map((name) => {
    const known = new WeakMap<object, MapCells>();
    const paintOf = (pod: Pod): string => {
      const amount = of(pod)?.[name];
      const share = amount === undefined ? undefined : shareOf(amount, podBound(name, pod));
      return `heat-${leastShares.findLastIndex((least) => (share ?? 0) >= least)}`;
    };
    const cellOf = (pod: Pod): MapCell => ({
      node: indexByPlacement(pod),
      phase: podPhase(pod),
      paint: paintOf(pod),
    });
    return {
      name,
      legend: <UsageLegend name={name} />,
      cells(pods: Collection<Pod>) {
        const cells = known.get(pods) ?? derived.map(pods, cellOf, { indexers: { node: ({ node }: MapCell) => node } });
        known.set(pods, cells);
        return cells;
      },
    };
  });
}

function UsageLegend({ name }: { readonly name: AmountName }): ReactNode {
  return (
    <ul className="legend" aria-label={`Pods by ${amountTitles[name]}`}>
      {leastShares.map((least, at) => (
        <li key={least}>
          <span className={`paint heat-${at}`} aria-hidden="true" /> {shareRange(at)}
        </li>
      ))}
      <li className="fine">of the limit, or the request</li>
    </ul>
  );
}

function shareRange(at: number): string {
  const [least = 0, next] = leastShares.slice(at).map((share) => share * 100);
  if (next === undefined) return `${least} % and more`;
  return at === 0 ? `less than ${next} %` : `${least} to ${next} %`;
}

/** Renders the age of the figures while newer ones cannot be read. */
function FailingNote({ measured: { isFailing, latestAt } }: { readonly measured: Measured }): ReactNode {
  const age = useLiveSecond((now) => (latestAt === undefined ? '' : durationText(now - latestAt)));
  if (!isFailing) return null;
  return (
    <span className="fine" role="status">
      {latestAt === undefined ? 'No CPU and memory figures' : `CPU and memory from ${age} ago`}: metrics.k8s.io does not
      respond
    </span>
  );
}
