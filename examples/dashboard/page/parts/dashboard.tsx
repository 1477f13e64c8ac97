import { useCallback, useReducer, useState, type KeyboardEvent, type ReactNode } from 'react';
import { PhaseColoursContext, useThemedPhaseColours } from '../hooks/use-phase-colours.js';
import { useTheme } from '../hooks/use-theme.js';
import { nextFilter, noFilter, type PodIndex } from '../model/pod-filter.js';
import type { Opened } from '../model/opened.js';
import { Facets } from './facets.js';
import { NodeMap } from './node-map.js';
import { ObjectDrawer } from './object-drawer.js';
import { PageHeader } from './page-header.js';
import { PanelBoundary } from './panel-boundary.js';
import { PodPanel } from './pod-panel.js';

export function Dashboard(): ReactNode {
  const [theme, setTheme] = useTheme();
  const colours = useThemedPhaseColours(theme);
  const [filter, change] = useReducer(nextFilter, noFilter);
  const [opened, setOpened] = useState<Opened>();
  const toggle = useCallback((index: PodIndex, value: string) => {
    change({ type: 'toggle', index, value });
  }, []);
  const close = useCallback(() => {
    setOpened(undefined);
  }, []);
  const closeOnEscape = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && !event.defaultPrevented) close();
  };

  return (
    <PhaseColoursContext.Provider value={colours}>
      <a className="skip-link" href="#pods">
        Skip to the table of pods
      </a>
      <div className={opened ? 'dashboard with-drawer' : 'dashboard'} onKeyDown={closeOnEscape}>
        <PageHeader theme={theme} onTheme={setTheme} />
        <PanelBoundary title="Facets">
          <Facets chosen={filter.chosen} onToggle={toggle} />
        </PanelBoundary>
        <main className="content">
          <h1 className="visually-hidden">Pods of the cluster, live</h1>
          <PanelBoundary title="Nodes">
            <NodeMap chosen={filter.chosen.node} onToggle={toggle} onOpen={setOpened} />
          </PanelBoundary>
          <PanelBoundary title="Pods">
            <PodPanel filter={filter} onFilter={change} opened={opened} onOpen={setOpened} />
          </PanelBoundary>
        </main>
        {opened && (
          <PanelBoundary key={`${opened.kind} ${opened.key}`} title="Object">
            <ObjectDrawer opened={opened} onClose={close} />
          </PanelBoundary>
        )}
      </div>
    </PhaseColoursContext.Provider>
  );
}
