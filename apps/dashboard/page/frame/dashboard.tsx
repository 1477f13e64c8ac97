import { lazy, Suspense, useCallback, useState, type ReactNode } from 'react';
import type { PageAddress } from '../address/page-address.js';
import { go, pageAddress, usePageAddress } from '../address/use-page-address.js';
import { useAllowedNamespace } from '../cluster/namespace.js';
import { Facets } from '../facets/facets.js';
import { useHistoryOnDisk } from '../history/disk-choice.js';
import { useTimeOfAddress } from '../history/shown-time.js';
import { PhaseColoursContext, useThemedPhaseColours } from '../pods/phase-dot.js';
import { DrawerOverlay } from './drawer-overlay.js';
import { InformersPanel } from './informers-panel.js';
import { useIsWithoutSide } from './narrow.js';
import { PageHeader } from './page-header.js';
import { usePageKeys } from './page-keys.js';
import { PageTitle } from './page-title.js';
import { PanelBoundary } from './panel-boundary.js';
import { useTheme } from './theme.js';
import { viewNamed } from './views.js';

const Palette = lazy(async () => ({ default: (await import('./palette.js')).Palette }));
const CopiedCommand = lazy(async () => ({ default: (await import('./copied-command.js')).CopiedCommand }));
const WatchedQuestion = lazy(async () => ({ default: (await import('./watched-question.js')).WatchedQuestion }));
const KeysHelp = lazy(async () => ({ default: (await import('./keys-help.js')).KeysHelp }));
const ObjectDrawer = lazy(async () => ({ default: (await import('../drawer/object-drawer.js')).ObjectDrawer }));
const TimeBar = lazy(async () => ({ default: (await import('../history/time-bar.js')).TimeBar }));

/**
 * Renders the page: the header, the facets, the view that the address names, the foot with the
 * shown time, and the drawer with the opened object over the right side.
 */
export function Dashboard(): ReactNode {
  const [theme, setTheme] = useTheme();
  const colours = useThemedPhaseColours(theme);
  const { view, opened } = usePageAddress();
  useTimeOfAddress();
  useAllowedNamespace();
  useHistoryOnDisk();
  const { name, title, hasFacets, component: View } = viewNamed(view);
  const isWithoutSide = useIsWithoutSide();
  const [dialog, setDialog] = useState<'palette' | 'keys'>();
  // Each copy is a component of its own.
  const [copies, setCopies] = useState({ count: 0, isShown: false });
  const copyCommand = (): void => {
    setCopies(({ count }) => ({ count: count + 1, isShown: true }));
  };
  const closeCopied = useCallback(() => {
    setCopies(({ count }) => ({ count, isShown: false }));
  }, []);
  const [watched, setWatched] = useState<PageAddress>();
  const stopWatching = (): void => {
    setWatched(undefined);
  };
  const watchOrStop = (): void => {
    setWatched(watched === undefined ? pageAddress() : undefined);
  };
  const openPalette = (): void => {
    setDialog('palette');
  };
  const openKeys = (): void => {
    setDialog('keys');
  };
  const closeDialog = (): void => {
    // Closes only the dialog that calls this function. That dialog may already have opened another
    // one.
    setDialog((now) => (now === dialog ? undefined : now));
  };
  usePageKeys({ onPalette: openPalette, onKeys: openKeys, onCloseDrawer: closeDrawer, onCopy: copyCommand });

  return (
    <PhaseColoursContext.Provider value={colours}>
      <a className="skip-link" href={name === 'pods' ? '#table' : '#content'}>
        Skip to {name === 'pods' ? 'the table of pods' : 'the content'}
      </a>
      <div className={opened ? 'dashboard with-drawer' : 'dashboard'}>
        <PageTitle />
        <PageHeader theme={theme} onTheme={setTheme} onPalette={openPalette} onKeys={openKeys} />
        <div className={hasFacets ? 'page-body with-facets' : 'page-body'}>
          {/* Without room at the side, the filter bar opens the facets. */}
          {hasFacets && !isWithoutSide && (
            <PanelBoundary title="Facets">
              <Facets />
            </PanelBoundary>
          )}
          <main className="content" id="content" tabIndex={-1}>
            <h1 className="visually-hidden">{title} of the cluster, live</h1>
            <PanelBoundary key={name} title={title}>
              <Suspense fallback={<p className="fine loading-view">Loading…</p>}>
                <View />
              </Suspense>
            </PanelBoundary>
          </main>
        </div>
        {/* The foot: the time that is shown, below every view. */}
        <div className="page-foot">
          <InformersPanel />
          {watched !== undefined && (
            <PanelBoundary title="Notifications">
              <Suspense>
                <WatchedQuestion address={watched} onStop={stopWatching} />
              </Suspense>
            </PanelBoundary>
          )}
          <PanelBoundary title="Time">
            <Suspense fallback={<div className="time-bar" />}>
              <TimeBar />
            </Suspense>
          </PanelBoundary>
        </div>
        {opened && (
          <DrawerOverlay>
            <PanelBoundary key={`${opened.resource} ${opened.key}`} title="Object">
              <Suspense fallback={<p className="fine loading-view">Loading…</p>}>
                <ObjectDrawer opened={opened} onClose={closeDrawer} />
              </Suspense>
            </PanelBoundary>
          </DrawerOverlay>
        )}
        {copies.isShown && (
          <Suspense>
            <CopiedCommand key={copies.count} onClose={closeCopied} />
          </Suspense>
        )}
        {dialog !== undefined && (
          <PanelBoundary title="Go to">
            <Suspense>
              {dialog === 'palette' && (
                <Palette
                  onTheme={setTheme}
                  onKeys={openKeys}
                  onCopy={copyCommand}
                  onWatch={watchOrStop}
                  isWatching={watched !== undefined}
                  onClose={closeDialog}
                />
              )}
              {dialog === 'keys' && <KeysHelp onClose={closeDialog} />}
            </Suspense>
          </PanelBoundary>
        )}
      </div>
    </PhaseColoursContext.Provider>
  );
}

function closeDrawer(): void {
  go({ opened: undefined });
}
