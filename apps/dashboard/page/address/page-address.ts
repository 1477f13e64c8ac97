import { noFilter, type PodFilter } from '../pods/pod-filter.js';
import type { SortedBy } from '../table/columns.js';
import { contextNameOf, namespaceOf } from './api-base.js';

/** The views of the page. Each name is the value of the parameter `view` of the address. */
export type ViewName = 'pods' | 'workloads' | 'kinds' | 'timeline' | 'logs';

/** The object in the drawer. */
export interface Opened {
  /** The resource as the path of the API names it: `v1/pods`, `v1/nodes`, `apps/v1/deployments`. */
  readonly resource: string;
  /** `namespace/name`, or `name`. */
  readonly key: string;
  /** The tab that the drawer shows; default: the first tab. */
  readonly tab?: string | undefined;
}

/**
 * Everything that determines what the page shows. The query string of the page contains it, so
 * reload, Back, a bookmark and a link show the same screen.
 */
export interface PageAddress {
  /**
   * The context whose cluster is shown; `undefined` for the cluster at the server's root, or at the
   * path that the parameter `api` names.
   */
  readonly context?: string | undefined;
  readonly view: ViewName;
  readonly filter: PodFilter;
  readonly order: readonly SortedBy[];
  readonly opened?: Opened | undefined;
  /** The only namespace that the page requests; `undefined` for all namespaces. */
  readonly namespace?: string | undefined;
  /**
   * The time that is shown, in milliseconds since the epoch; `undefined` while the page is live.
   */
  readonly at?: number | undefined;
  /**
   * The resource that the view `kinds` shows, as the path of the API names it:
   * `apps/v1/deployments`.
   */
  readonly kind?: string | undefined;
  /** Settings of single views, by parameter: `pods.columns=name,owner`. */
  readonly settings: Readonly<Record<string, string>>;
}

/** The resources of pods and nodes, which have their own informers. */
export const podResource = 'v1/pods';
export const nodeResource = 'v1/nodes';

/** The defaults for everything that the address does not name. */
export const home: PageAddress = { view: 'pods', filter: noFilter, order: [], settings: {} };

const views: readonly ViewName[] = ['pods', 'workloads', 'kinds', 'timeline', 'logs'];
const setting = /^[a-z]+\.[a-z]+$/;
const facetPrefix = 'is.';

/**
 * Reads an address. Parameters that are not valid are ignored, so any query string is a valid
 * address.
 *
 * | parameter | for example |
 * | --- | --- |
 * | `context` | `context=prod-eu` |
 * | `view` | `view=timeline` |
 * | `is.<facet>`, once for each value | `is.namespace=shop`, `is.label.app=web` |
 * | `text` | `text=worker-3` |
 * | `order` | `order=-restarts,name` |
 * | `open`, `tab` | `open=v1/pods:shop/web-1`, `tab=events` |
 * | `at` | `at=2026-01-31T14:02:31.000Z` |
 * | `kind` | `kind=apps/v1/deployments` |
 * | `namespace` | `namespace=shop`; the page requests no other namespace |
 */
export function parseAddress(search: string): PageAddress {
  const parameters = new URLSearchParams(search);
  const chosen = new Map<string, readonly string[]>();
  const settings: Record<string, string> = {};
  for (const [name, value] of parameters) {
    if (name.startsWith(facetPrefix)) {
      const facet = name.slice(facetPrefix.length);
      chosen.set(facet, [...new Set([...(chosen.get(facet) ?? []), value])]);
    } else if (setting.test(name)) settings[name] = value;
  }
  const at = Date.parse(parameters.get('at') ?? '');
  return {
    context: contextNameOf(parameters.get('context') ?? ''),
    view: views.find((name) => name === parameters.get('view')) ?? home.view,
    filter: { chosen: Object.fromEntries(chosen), text: parameters.get('text') ?? '' },
    order: orderOf(parameters.get('order') ?? ''),
    namespace: namespaceOf(parameters.get('namespace') ?? ''),
    opened: openedOf(parameters.get('open') ?? '', parameters.get('tab') ?? undefined),
    at: Number.isNaN(at) ? undefined : at,
    kind: parameters.get('kind') ?? undefined,
    settings,
  };
}

/**
 * Writes an address as a query string. Keeps the parameters of `others` that are not part of an
 * address, such as `api`.
 */
export function formatAddress(address: PageAddress, others = ''): string {
  const { context, view, filter, order, opened, namespace, at, kind, settings } = address;
  const parameters = new URLSearchParams();
  for (const [name, value] of new URLSearchParams(others)) if (!isOfAddress(name)) parameters.append(name, value);
  if (context !== undefined) parameters.set('context', context);
  if (view !== home.view) parameters.set('view', view);
  if (namespace !== undefined) parameters.set('namespace', namespace);
  if (kind !== undefined) parameters.set('kind', kind);
  for (const [facet, values] of Object.entries(filter.chosen)) {
    for (const value of values) parameters.append(`${facetPrefix}${facet}`, value);
  }
  if (filter.text !== '') parameters.set('text', filter.text);
  if (order.length > 0) parameters.set('order', order.map(columnText).join(','));
  for (const [name, value] of Object.entries(settings)) parameters.set(name, value);
  if (opened !== undefined) {
    parameters.set('open', `${opened.resource}:${opened.key}`);
    if (opened.tab !== undefined) parameters.set('tab', opened.tab);
  }
  if (at !== undefined) parameters.set('at', new Date(at).toISOString());
  // Slashes, colons and commas are allowed in a query string, and are easier to read unencoded.
  const text = parameters.toString().replaceAll('%2F', '/').replaceAll('%3A', ':').replaceAll('%2C', ',');
  return text === '' ? '' : `?${text}`;
}

const ownParameters: ReadonlySet<string> = new Set([
  'context',
  'view',
  'text',
  'order',
  'open',
  'tab',
  'at',
  'kind',
  'namespace',
]);

function isOfAddress(name: string): boolean {
  return ownParameters.has(name) || name.startsWith(facetPrefix) || setting.test(name);
}

function orderOf(text: string): readonly SortedBy[] {
  return text
    .split(',')
    .filter((column) => /^-?[a-z]+$/i.test(column))
    .map((column) =>
      column.startsWith('-')
        ? { name: column.slice(1), direction: 'descending' as const }
        : { name: column, direction: 'ascending' as const },
    );
}

function columnText({ name, direction }: SortedBy): string {
  return direction === 'descending' ? `-${name}` : name;
}

function openedOf(text: string, tab: string | undefined): Opened | undefined {
  const [, resource, key] = /^([\w.-]+(?:\/[\w.-]+){1,2}):(.+)$/.exec(text) ?? [];
  if (resource === undefined || key === undefined) return undefined;
  return { resource, key, ...(tab !== undefined && { tab }) };
}
