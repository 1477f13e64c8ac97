import { lazy, type ComponentType } from 'react';
import type { ViewName } from '../address/page-address.js';
import { PodsView } from '../pods/pods-view.js';

/** A view of the page. The navigation has a link to it. */
export interface PageView {
  readonly name: ViewName;
  readonly title: string;
  /** The key that opens the view, after `g`. */
  readonly key: string;
  /** Whether the facets of pods stand beside the view and filter its content. */
  readonly hasFacets: boolean;
  /** Draws the view. It takes no props. An error boundary and a loading boundary enclose it. */
  readonly component: ComponentType;
}

/**
 * All views, in the order of the navigation. The first chunk contains the view of pods. Any other
 * view is loaded when it is opened. An entry of a view that is loaded later:
 *
 *     { name: 'kinds', title: 'Kinds', key: 'k', hasFacets: false,
 *       component: onDemand(async () => (await import('../kinds/kinds-view.js')).KindsView) },
 */
export const pageViews: readonly PageView[] = [
  { name: 'pods', title: 'Pods', key: 'p', hasFacets: true, component: PodsView },
  {
    name: 'workloads',
    title: 'Workloads',
    key: 'w',
    hasFacets: true,
    component: onDemand(async () => (await import('../workloads/workloads-view.js')).WorkloadsView),
  },
  {
    name: 'kinds',
    title: 'Kinds',
    key: 'k',
    hasFacets: false,
    component: onDemand(async () => (await import('../kinds/kinds-view.js')).KindsView),
  },
  {
    name: 'timeline',
    title: 'Timeline',
    key: 't',
    hasFacets: true,
    component: onDemand(async () => (await import('../timeline/timeline-view.js')).TimelineView),
  },
  {
    name: 'logs',
    title: 'Logs',
    key: 'l',
    hasFacets: true,
    component: onDemand(async () => (await import('../logs/logs-view.js')).LogsView),
  },
];

/** Returns a component whose code loads when it is first drawn. */
export function onDemand(load: () => Promise<ComponentType>): ComponentType {
  return lazy(async () => ({ default: await load() }));
}

/** Returns the view of this name, or the first view if there is none. */
export function viewNamed(name: ViewName): PageView {
  return pageViews.find((view) => view.name === name) ?? (pageViews[0] as PageView);
}
