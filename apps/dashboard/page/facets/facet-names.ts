import { useState } from 'react';
import { useIndexValues } from 'rx-informers/react';
import { labelPrefix, splitPair, splitWorkload } from '../pods/pod-filter.js';
import { useSecond } from '../text/age.js';
import { compareText } from '../text/text.js';
import type { FacetCount, FacetCounts } from './facet-counts.js';
import { valueText } from './facet-value.js';

/** The name of a facet in the list of facets. */
export interface FacetName {
  readonly facet: string;
  readonly title: string;
  /** The prefix of a label, shown before the title on hover: `app.kubernetes.io`. */
  readonly prefix: string | undefined;
}

/**
 * The facets that every cluster has, in order of use. Facets of labels follow these facets, folded.
 */
export const mainFacets: readonly FacetName[] = [
  { facet: 'namespace', title: 'Namespace', prefix: undefined },
  { facet: 'status', title: 'Status', prefix: undefined },
  { facet: 'owner', title: 'Workload', prefix: undefined },
  { facet: 'app', title: 'App', prefix: undefined },
  { facet: 'node', title: 'Node', prefix: undefined },
];

/** Returns the name of a facet: `Workload`, or `tier` for a label. */
export function facetName(facet: string): FacetName {
  const main = mainFacets.find((known) => known.facet === facet);
  if (main !== undefined) return main;
  const label = facet.startsWith(labelPrefix) ? facet.slice(labelPrefix.length) : facet;
  const at = label.lastIndexOf('/');
  return { facet, title: label.slice(at + 1), prefix: at === -1 ? undefined : label.slice(0, at) };
}

/** Facets that labels often duplicate. */
const copied: readonly string[] = ['namespace', 'owner', 'app'];

/**
 * Returns the facets of labels, sorted by title. Returns the facet `app` first if it adds
 * information. Omits a label that divides the pods in the same way as the namespace, the workload
 * or an earlier label: Helm and most operators write the same word into four labels. Omits the
 * facet `app` also if each application is the name of its namespace.
 */
export function labelFacets(counts: Iterable<FacetCount>): readonly string[] {
  const facets = new Map<string, Map<string, number>>();
  for (const { group, pods } of counts) {
    const [facet, value] = splitPair(group);
    if (!copied.includes(facet) && !facet.startsWith(labelPrefix)) continue;
    // Workloads of one name in several namespaces count as one, because a label has only the name.
    const text = facet === 'owner' ? splitWorkload(value).name : valueText(facet, value);
    const values = facets.get(facet) ?? new Map<string, number>();
    facets.set(facet, values.set(text, (values.get(text) ?? 0) + pods));
  }
  const titleOf = (facet: string): string => facetName(facet).title;
  const labels = [...facets.keys()].filter((facet) => !copied.includes(facet));
  const byTitle = labels.sort((a, b) => compareText(titleOf(a), titleOf(b)));
  const namespaces = facets.get('namespace');
  const seen = new Set<string>();
  const isNew = (facet: string): boolean => {
    const values = [...(facets.get(facet) ?? [])];
    if (facet === 'app' && values.every(([name, pods]) => pods <= (namespaces?.get(name) ?? 0))) return false;
    const mark = signature(values.map(([text, pods]) => `${text} ${pods}`));
    return !seen.has(mark) && seen.add(mark).size > 0;
  };
  return [...copied, ...byTitle].filter(isNew).filter((facet) => facet === 'app' || facet.startsWith(labelPrefix));
}

function signature(values: readonly string[]): string {
  return [...values].sort().join('\n');
}

/**
 * Returns the facets of labels. A new label appears at once. Duplicate labels are searched only
 * every five seconds, because the search reads all counts.
 */
export function useLabelFacets(totals: FacetCounts): readonly string[] {
  const names = useIndexValues(totals, 'facet');
  const turn = useSecond((now) => Math.floor(now / 5000));
  const [frozen, setFrozen] = useState<FrozenFacets>({ totals, names: [], turn, facets: [] });
  if (frozen.totals === totals && frozen.names === names && frozen.turn === turn) return frozen.facets;
  const facets = labelFacets(totals.snapshot.list());
  setFrozen({ totals, names, turn, facets });
  return facets;
}

interface FrozenFacets {
  readonly totals: FacetCounts;
  readonly names: readonly string[];
  readonly turn: number;
  readonly facets: readonly string[];
}
