import { useState, type ReactNode } from 'react';
import { useIsNarrow } from '../frame/narrow.js';
import { PanelBoundary } from '../frame/panel-boundary.js';
import { NodeMap } from '../nodes/node-map.js';
import { Figures } from './figures.js';
import { PodPanel } from './pod-panel.js';

/**
 * Renders the view of pods: the numbers of objects in trouble, the map of the nodes with their
 * pods, and the table of pods. On a phone the map is folded.
 */
export function PodsView(): ReactNode {
  const isNarrow = useIsNarrow();
  const [isMapOpen, setMapOpen] = useState(false);
  return (
    <div className="pods-view">
      <Figures />
      <div className="map-place">
        {isNarrow && (
          <button
            type="button"
            className="facet-fold"
            aria-expanded={isMapOpen}
            onClick={() => {
              setMapOpen(!isMapOpen);
            }}
          >
            <span className="fold-mark" aria-hidden="true" /> Map of nodes
          </button>
        )}
        {(!isNarrow || isMapOpen) && (
          <PanelBoundary title="Nodes">
            <NodeMap />
          </PanelBoundary>
        )}
      </div>
      <PanelBoundary title="Pods">
        <PodPanel />
      </PanelBoundary>
    </div>
  );
}
