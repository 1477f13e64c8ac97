import { createElement, lazy, Suspense, type ReactElement } from 'react';

const DevtoolsPanel = lazy(async () => ({ default: (await import('./panel.js')).DevtoolsPanel }));

/**
 * Renders a table of the informers in the registry of the nearest `InformersProvider`.
 *
 * A row shows the status of an informer, when data last arrived from the server, the number of
 * objects, their estimated size as JSON, commits and changed answers per second, and the queries of
 * the hooks that use it.
 *
 * The code of the table is loaded when the table is first rendered. The table reads the registry
 * once a second. It does not start informers or keep them running. To estimate the size, it writes
 * ten objects of each informer as JSON. The table has the class `rxi-devtools`; each row has
 * `data-state`.
 *
 * **Does not guarantee**: the columns and the markup, which may change in any version.
 *
 * @returns the table; nothing while the code of the table is being loaded
 * @example
 * import { createElement } from 'react';
 *
 * const page = createElement(
 *   InformersProvider,
 *   { registry: informerRegistry(client) },
 *   createElement(InformersDevtools),
 * );
 */
export function InformersDevtools(): ReactElement {
  return createElement(Suspense, { fallback: null }, createElement(DevtoolsPanel));
}
