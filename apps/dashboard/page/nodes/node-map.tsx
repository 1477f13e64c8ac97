import { lazy, Suspense, useCallback, useMemo, useState, type ReactNode } from 'react';
import type { Collection, KubernetesNode } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { useHasSynced, useIndexValues, useList, useStatus } from 'rx-informers/react';
import { go, usePageAddress } from '../address/use-page-address.js';
import { useSettled } from '../cluster/connection.js';
import { useNodes, usePods } from '../cluster/informers.js';
import { PanelNotice } from '../cluster/panel-notice.js';
import { useRovingFocus } from '../frame/focus.js';
import { useUsageParts } from '../metrics/use-usage-parts.js';
import { usePodCounts, type PodCounts } from '../pods/pod-counts.js';
import { usePodEntries } from '../pods/pod-entries.js';
import { countText, plainText } from '../text/text.js';
import { mapCells, mapColours, mapMatches } from './map-cells.js';
import { MapEdge, useMapHeight } from './map-edge.js';
import { MapLegend } from './map-legend.js';
import { cellsSize, densityFor, useDrawingStyle } from './map-style.js';
import { commonParts, mapGroups, nodeFacts, nodeGroups, type MapGroup, type NodeFacts } from './node-order.js';
import { NodeTile, type Hovered, type TileContent } from './node-tile.js';

const HoverCard = lazy(async () => ({ default: (await import('./hover-card.js')).HoverCard }));

/**
 * Renders every node as a tile filled with its pods, nodes in trouble first. If the user may not
 * read nodes, renders the nodes that pods name.
 */
export function NodeMap(): ReactNode {
  const { filter, settings } = usePageAddress();
  const usage = useUsageParts();
  const byUsage = usage.colours.find(({ name }) => name === settings['map.colour']);
  const colour = mapColours.find((name) => name === settings['map.colour']) ?? 'status';
  const group = mapGroups.find((name) => name === settings['map.group']) ?? mapGroups[0];
  const isOpen = settings['map.open'] !== 'off';
  const nodes = useNodes();
  const pods = usePods();
  const entries = usePodEntries();
  const hasSynced = useHasSynced(nodes);
  const isWaiting = [useIsLoading(nodes), useIsLoading(entries)].includes(true);
  const { facts, groups } = useGroups(group);
  const names = useMemo(() => groups.flatMap((each) => each.names), [groups]);
  const count = names.filter(Boolean).length;
  const { group: roving, stop } = useRovingFocus(names);
  const [hovered, setHovered] = useState<Hovered>();
  const [width, measure] = useWidth();
  const [height, setHeight] = useMapHeight();

  const density = densityFor(names.length);
  const size = cellsSize(width, density);
  const style = useDrawingStyle(size);
  const matches = mapMatches(entries, filter);
  const cells = byUsage?.cells(pods) ?? mapCells(pods, colour);
  const { Tile } = usage;
  const content = useMemo(
    (): TileContent => ({ cells, matches, style, height: density.cells, onHover: setHovered, Usage: Tile }),
    [cells, matches, style, density.cells, setHovered, Tile],
  );
  const common = useMemo(() => commonParts(names), [names]);
  const troubleOf = useMemo(() => new Map(facts.map(({ name, trouble }) => [name, trouble])), [facts]);
  const letters = Math.floor((size.width - 48) / 7.1);

  return (
    <section className="panel node-map" aria-labelledby="nodes-title">
      <div className="panel-head">
        <h2 id="nodes-title">
          Nodes <span className="count">{hasSynced || count > 0 ? countText(count) : '–'}</span>
        </h2>
        {byUsage ? byUsage.legend : <MapLegend colour={colour} />}
        <span className="map-tools">
          <MapChoice
            name="colour"
            title="Colour by"
            values={[...mapColours, ...usage.colours.map(({ name }) => name)]}
            value={byUsage?.name ?? colour}
          />
          <MapChoice name="group" title="Group by" values={mapGroups} value={group} />
          <button
            type="button"
            className="action"
            aria-expanded={isOpen}
            aria-controls="node-tiles"
            onClick={() => {
              setSetting('open', isOpen ? 'off' : '');
            }}
          >
            {isOpen ? 'Hide' : 'Show'}
          </button>
        </span>
      </div>
      <PanelNotice informer={nodes} what="nodes" />
      {isOpen && (
        <>
          <div
            id="node-tiles"
            className="tiles-scroller"
            aria-busy={isWaiting}
            // While it waits, the map already has its maximum height. Most clusters fill the map,
            // so the content below does not move when the tiles appear.
            style={{ maxBlockSize: height, minBlockSize: isWaiting ? height : undefined }}
            {...roving}
          >
            <div ref={measure}>
              {/* Pods determine the order of the nodes, so tiles appear when the pods are
                  loaded. */}
              {(isWaiting ? [] : groups).map(({ title, names: ofGroup }) => (
                <section key={title} aria-label={group === 'none' ? undefined : `${group} ${title || 'none'}`}>
                  {group !== 'none' && (
                    <h3 className="tiles-title">
                      {plainText(title, 80) || `no ${group}`} <span className="count">{ofGroup.length}</span>
                    </h3>
                  )}
                  <ul
                    className="tiles"
                    aria-label={group === 'none' ? 'Nodes and their pods' : `Nodes of ${title || 'no group'}`}
                    style={{ gridTemplateColumns: `repeat(auto-fill, minmax(${density.tile}px, 1fr))` }}
                  >
                    {ofGroup.map((name) => (
                      <NodeTile
                        key={name}
                        name={name}
                        common={common}
                        letters={letters}
                        trouble={troubleOf.get(name)}
                        isChosen={filter.chosen['node']?.includes(name) ?? false}
                        isStop={name === stop}
                        content={content}
                      />
                    ))}
                  </ul>
                </section>
              ))}
            </div>
          </div>
          <MapEdge height={height} onHeight={setHeight} />
        </>
      )}
      <Suspense>{hovered && <HoverCard hovered={hovered} />}</Suspense>
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

function setSetting(name: 'colour' | 'group' | 'open', value: string): void {
  go(
    ({ settings }) => {
      const { [`map.${name}`]: _, ...others } = settings;
      return { settings: value === '' ? others : { ...others, [`map.${name}`]: value } };
    },
    { replace: true },
  );
}

interface MapChoiceProps {
  readonly name: 'colour' | 'group';
  readonly title: string;
  /** The possible values. The first one is the default. */
  readonly values: readonly string[];
  readonly value: string;
}

function MapChoice({ name, title, values, value }: MapChoiceProps): ReactNode {
  return (
    <label className="map-choice">
      <span className="fine">{title}</span>{' '}
      <select
        value={value}
        onChange={({ target }) => {
          setSetting(name, target.value === values[0] ? '' : target.value);
        }}
      >
        {values.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
    </label>
  );
}

/**
 * Returns the nodes in order. Nodes change every few seconds, but the facts that determine their
 * order rarely change.
 */
function useGroups(group: MapGroup) {
  const facts = useList(factsOf(useNodes()));
  const occupied = useIndexValues(usePods(), 'node');
  const troubled = useList(troubledOf(usePodCounts()));
  const groups = useMemo(
    () => nodeGroups({ facts, occupied, troubled: new Set(troubled.map(({ name }) => name)), group }),
    [facts, occupied, troubled, group],
  );
  return { facts, groups };
}

const factsByNodes = new WeakMap<object, Collection<NodeFacts>>();

function factsOf(nodes: Collection<KubernetesNode>): Collection<NodeFacts> {
  const facts = factsByNodes.get(nodes) ?? derived.map(nodes, nodeFacts);
  factsByNodes.set(nodes, facts);
  return facts;
}

const troubledByCounts = new WeakMap<object, Collection<{ readonly name: string }>>();

/** Returns the nodes with a failing pod. */
function troubledOf(counts: PodCounts): Collection<{ readonly name: string }> {
  const troubled =
    troubledByCounts.get(counts) ??
    derived.map(counts.node, ({ phases }, name) => ((phases.failing ?? 0) > 0 ? { name } : undefined));
  troubledByCounts.set(counts, troubled);
  return troubled;
}

/** Returns the current width of an element, and the `ref` for it. */
function useWidth(): readonly [width: number, ref: (element: HTMLElement | null) => (() => void) | undefined] {
  const [width, setWidth] = useState(600);
  const ref = useCallback((element: HTMLElement | null) => {
    if (!element || typeof ResizeObserver === 'undefined') return undefined;
    const observer = new ResizeObserver(() => {
      setWidth(element.clientWidth);
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
    };
  }, []);
  return [width, ref];
}
