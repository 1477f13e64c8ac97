import { createElement as h, useContext, useMemo, type ReactElement, type ReactNode } from 'react';
import { constantStore, toExternalStore } from '../../views/to-external-store.js';
import { InformersContext } from '../informers-provider.js';
import { useStore } from '../use-query.js';
import { readings$, type InformerReading } from './readings.js';

const columns = ['Informer', 'Status', 'Heard', 'Objects', 'Size', 'Commits/s', 'Answers/s', 'Held by'];

/** The content of `InformersDevtools`. */
export function DevtoolsPanel(): ReactElement {
  const { registry, pace } = useContext(InformersContext);
  const store = useMemo(
    () => (registry ? toExternalStore(readings$(registry, pace.scheduler), none, { linger: 0 }) : constantStore(none)),
    [registry, pace],
  );
  const readings = useStore(store);
  return h(
    'table',
    { className: 'rxi-devtools', style: { fontVariantNumeric: 'tabular-nums', textAlign: 'start', width: '100%' } },
    h('caption', null, `${readings.length} informers`),
    h('thead', null, h('tr', null, ...columns.map((title) => h('th', { key: title, scope: 'col' }, title)))),
    h('tbody', null, ...readings.map((reading, position) => h(Row, { key: position, reading }))),
  );
}

const none: readonly InformerReading[] = [];

function Row({ reading }: { readonly reading: InformerReading }): ReactElement {
  const { name, state, silence, objects, bytes, commits, emissions } = reading;
  const cells: readonly ReactNode[] = [
    state,
    silence === undefined ? '–' : `${Math.round(silence / 1000)} s ago`,
    objects,
    sizeText(bytes),
    commits,
    emissions,
    h(Holders, { reading }),
  ];
  return h(
    'tr',
    { 'data-state': state },
    h('th', { scope: 'row' }, name),
    ...cells.map((cell, position) => h('td', { key: position }, cell)),
  );
}

/**
 * Renders the queries of the hooks that use the informer. If the informer runs without hooks, the
 * text says that something else keeps it running.
 */
function Holders({ reading: { holders, state } }: { readonly reading: InformerReading }): ReactNode {
  const hooks = holders.reduce((sum, holder) => sum + holder.hooks, 0);
  if (hooks === 0) return state === 'stopped' ? 'nothing' : 'no hook (connect() or a derived collection)';
  return h(
    'details',
    null,
    h('summary', null, hooks === 1 ? '1 hook' : `${hooks} hooks`),
    h(
      'ul',
      null,
      ...holders.map(({ question, hooks: times }) =>
        h('li', { key: question }, h('code', null, question), times > 1 && ` × ${times}`),
      ),
    ),
  );
}

function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1024 ** 2 ? `${Math.round(bytes / 1024)} KiB` : `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
}
