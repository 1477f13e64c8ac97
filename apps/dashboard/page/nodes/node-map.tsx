import { useContext, useMemo, useSyncExternalStore, type ReactNode } from 'react';
import type { Collection } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { useHasSynced, useIndexValues, useList, useStatus } from 'rx-informers/react';
import { usePageAddress } from '../address/use-page-address.js';
import { useSettled } from '../cluster/connection.js';
import { useNodes, usePods } from '../cluster/informers.js';
import { PanelNotice } from '../cluster/panel-notice.js';
import { useRovingFocus } from '../frame/focus.js';
import { PhaseColoursContext } from '../pods/phase-dot.js';
import { usePodCounts } from '../pods/pod-counts.js';
import { usePodEntries } from '../pods/pod-entries.js';
import { countText } from '../text/text.js';
import { mapCells } from './map-cells.js';
import { MapLegend } from './map-legend.js';
import { nodeFacts, nodeOrder } from './node-order.js';
import type { DrawingStyle } from './node-tile-drawing.js';
import { NodeTile } from './node-tile.js';

/** The number of nodes from which tiles are small. */
const many = 80;

/**
 * Renders every node as a tile filled with its pods, nodes in trouble first. If the user may not
 * read nodes, renders the nodes that pods name.
 */
export function NodeMap(): ReactNode {
  const { filter } = usePageAddress();
  const nodes = useNodes();
  const entries = usePodEntries();
  const hasSynced = useHasSynced(nodes);
  const isWaiting = [useIsLoading(nodes), useIsLoading(entries)].includes(true);
  const { names, troubleOf } = useOrderedNodes();
  const count = names.filter(Boolean).length;
  const { group: roving, stop } = useRovingFocus(names);
  const cells = useMemo(() => mapCells(entries, filter), [entries, filter]);
  const isDense = names.length > many;
  const style = useDrawingStyle(isDense);
  const content = useMemo(() => ({ cells, style }), [cells, style]);
  return (
    <section className="panel node-map" aria-labelledby="nodes-title">
      <div className="panel-head">
        <h2 id="nodes-title">
          Nodes <span className="count">{hasSynced || count > 0 ? countText(count) : '–'}</span>
        </h2>
        <MapLegend />
      </div>
      <PanelNotice informer={nodes} what="nodes" />
      <div id="node-tiles" className="tiles-scroller" aria-busy={isWaiting} {...roving}>
        <ul className={isDense ? 'tiles dense' : 'tiles'} aria-label="Nodes and their pods">
          {/* Pods determine the order of the nodes, so tiles appear when the pods are loaded. */}
          {(isWaiting ? [] : names).map((name) => (
            <NodeTile
              key={name}
              name={name}
              trouble={troubleOf.get(name)}
              isChosen={filter.chosen['node']?.includes(name) ?? false}
              isStop={name === stop}
              content={content}
            />
          ))}
        </ul>
      </div>
    </section>
  );
}

/**
 * Returns true while a collection loads for the first time. Returns false if the user may not read
 * it, also during a retry.
 */
function useIsLoading<T, I extends string>(collection: Collection<T, I>): boolean {
  const hasSynced = useHasSynced(collection);
  const { state } = useSettled(useStatus(collection));
  return !hasSynced && (state === 'listing' || state === 'stopped');
}

/**
 * Returns the nodes in order, and their trouble. Nodes change every few seconds, but the facts that
 * determine their order rarely change.
 */
function useOrderedNodes() {
  const nodes = useNodes();
  const counts = usePodCounts();
  const facts = useList(useMemo(() => derived.map(nodes, nodeFacts), [nodes]));
  const occupied = useIndexValues(usePods(), 'node');
  const troubled = useList(
    useMemo(
      () => derived.map(counts.node, ({ phases }, name) => ((phases.failing ?? 0) > 0 ? { name } : undefined)),
      [counts],
    ),
  );
  return useMemo(
    () => ({
      names: nodeOrder({ facts, occupied, troubled: new Set(troubled.map(({ name }) => name)) }),
      troubleOf: new Map(facts.map(({ name, trouble }) => [name, trouble])),
    }),
    [facts, occupied, troubled],
  );
}

/**
 * Returns the style for drawing tiles, or `undefined` before the colours are known. The style sheet
 * has the same sizes.
 */
function useDrawingStyle(isDense: boolean): DrawingStyle | undefined {
  const colours = useContext(PhaseColoursContext);
  const ratio = useSyncExternalStore(onResize, pixelRatio);
  return useMemo(
    () => colours && { colours, ratio, ...(isDense ? { width: 96, height: 28 } : { width: 144, height: 50 }) },
    [colours, ratio, isDense],
  );
}

function onResize(listener: () => void): () => void {
  addEventListener('resize', listener);
  return () => {
    removeEventListener('resize', listener);
  };
}

function pixelRatio(): number {
  return devicePixelRatio;
}
