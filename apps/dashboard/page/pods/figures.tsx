import type { ReactNode } from 'react';
import type { Collection, KubernetesNode } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { useHasSynced, useList, useObject } from 'rx-informers/react';
import { isTrouble, nodeStatus } from 'rx-informers/resources';
import { go, usePageAddress } from '../address/use-page-address.js';
import { useNodes } from '../cluster/informers.js';
import { useFacetCounts, useTotals } from '../facets/facet-counts.js';
import { usePodEntries, type Trouble } from './pod-entries.js';
import { pairOf, toggled } from './pod-filter.js';

/**
 * Renders the numbers of objects in trouble. Each number filters the pods on a click. A zero is
 * shown dimmed.
 */
export function Figures(): ReactNode {
  return (
    <ul className="figures" aria-label="Trouble">
      <PodFigure trouble="failing" title="Failing" />
      <PodFigure trouble="pending" title="Pending > 1 min" />
      <PodFigure trouble="unready" title="Not ready > 1 min" />
      <PodFigure trouble="restarts" title="Restarted < 10 min" />
      <NodeFigure />
    </ul>
  );
}

interface PodFigureProps {
  readonly trouble: Trouble;
  readonly title: string;
}

function PodFigure({ trouble, title }: PodFigureProps): ReactNode {
  const { filter } = usePageAddress();
  const group = pairOf('trouble', trouble);
  const all = useObject(useTotals(), group)?.pods ?? 0;
  const within = useObject(useFacetCounts(filter), group)?.pods ?? 0;
  return (
    <Figure
      kind={trouble}
      title={title}
      isKnown={useHasSynced(usePodEntries())}
      within={within}
      all={all}
      isChosen={filter.chosen['trouble']?.includes(trouble) ?? false}
      onToggle={() => {
        go({ filter: toggled(filter, 'trouble', trouble) });
      }}
    />
  );
}

/** Renders the number of nodes in trouble. A click filters the pods by the names of these nodes. */
function NodeFigure(): ReactNode {
  const { filter } = usePageAddress();
  const nodes = useNodes();
  const names = useList(troubledNodes(nodes)).map(({ metadata }) => metadata.name);
  const chosen = filter.chosen['node'] ?? [];
  const isChosen = names.length > 0 && names.every((name) => chosen.includes(name));
  return (
    <Figure
      kind="nodes"
      title="Nodes in trouble"
      isKnown={useHasSynced(nodes)}
      within={names.length}
      all={names.length}
      isChosen={isChosen}
      onToggle={() => {
        const { node: _, ...others } = filter.chosen;
        go({ filter: { ...filter, chosen: isChosen || names.length === 0 ? others : { ...others, node: names } } });
      }}
    />
  );
}

const troubledOf = new WeakMap<object, Collection<KubernetesNode>>();

function troubledNodes(nodes: Collection<KubernetesNode>): Collection<KubernetesNode> {
  const troubled = troubledOf.get(nodes) ?? derived.filter(nodes, (node) => isTrouble(nodeStatus(node).severity));
  troubledOf.set(nodes, troubled);
  return troubled;
}

interface FigureProps {
  readonly kind: string;
  readonly title: string;
  /** False while the number is not known. A dash is shown then, not a zero. */
  readonly isKnown: boolean;
  /** The number within the filter, and the total number. */
  readonly within: number;
  readonly all: number;
  readonly isChosen: boolean;
  readonly onToggle: () => void;
}

function Figure({ kind, title, isKnown, within, all, isChosen, onToggle }: FigureProps): ReactNode {
  const isQuiet = !isKnown || all === 0;
  return (
    <li>
      <button
        type="button"
        className={`figure ${kind}${isQuiet ? ' quiet' : ''}`}
        aria-pressed={isChosen}
        onClick={onToggle}
      >
        <span className="figure-value">{isKnown ? within : '–'}</span>
        {isKnown && within !== all && <span className="figure-all"> of {all}</span>}
        <span className="figure-title"> {title}</span>
      </button>
    </li>
  );
}
