import { useMemo, type ReactNode } from 'react';
import { useIndexValues, useWindow } from 'rx-informers/react';
import { useNodes, usePods } from '../cluster/informers.js';
import { useRovingFocus } from '../hooks/use-roving-focus.js';
import type { Opened } from '../model/opened.js';
import type { PodIndex } from '../model/pod-filter.js';
import { tileNames } from '../model/tile-names.js';
import { NodeTile } from './node-tile.js';
import { PanelNotice } from './panel-notice.js';
import { PhaseLegend } from './phase-legend.js';

interface NodeMapProps {
  readonly chosen: string | undefined;
  readonly onToggle: (index: PodIndex, value: string) => void;
  readonly onOpen: (opened: Opened) => void;
}

/** Every node as a tile that its pods fill. Where nodes may not be read, those that pods are on are shown. */
export function NodeMap({ chosen, onToggle, onOpen }: NodeMapProps): ReactNode {
  const nodes = useNodes();
  const { keys } = useWindow(nodes);
  const occupied = useIndexValues(usePods(), 'node');
  const names = useMemo(() => tileNames(keys, occupied), [keys, occupied]);
  const { group, stop } = useRovingFocus(names);
  return (
    <section className="panel node-map" aria-labelledby="nodes-title">
      <div className="panel-head">
        <h2 id="nodes-title">
          Nodes <span className="count">{names.filter(Boolean).length}</span>
        </h2>
        <PhaseLegend />
      </div>
      <PanelNotice informer={nodes} what="nodes" />
      <ul className="tiles" aria-label="Nodes and their pods" {...group}>
        {names.map((name) => (
          <NodeTile
            key={name}
            name={name}
            isChosen={name === chosen}
            isStop={name === stop}
            onToggle={onToggle}
            onOpen={onOpen}
          />
        ))}
      </ul>
    </section>
  );
}
