import { useEffect, type ReactNode } from 'react';
import { useHasSynced, useObject } from 'rx-informers/react';
import { useClusterInfo } from '../cluster/cluster.js';
import { useTotals } from '../facets/facet-counts.js';
import { usePodEntries } from '../pods/pod-entries.js';
import { pairOf } from '../pods/pod-filter.js';
import { countText, plainText } from '../text/text.js';
import { clusterName, contextColour } from './context.js';

/**
 * Sets the title of the browser tab: the number of failing pods and the cluster, `3 failing ·
 * prod-eu`.
 */
export function PageTitle(): ReactNode {
  const info = useClusterInfo();
  const hasSynced = useHasSynced(usePodEntries());
  const failing = useObject(useTotals(), pairOf('trouble', 'failing'))?.pods ?? 0;
  const name = plainText(clusterName(info), 60);
  const colour = contextColour(info.context);
  const title = hasSynced && failing > 0 ? `${countText(failing)} failing · ${name}` : name;
  useEffect(() => {
    document.title = title;
  }, [title]);
  const isFailing = hasSynced && failing > 0;
  useEffect(() => {
    const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    if (icon) icon.href = iconOf(colour, isFailing);
  }, [colour, isFailing]);
  return null;
}

/** The values of `--context-…` in the light palette. Tabs of both themes use them. */
const colours = ['#1757c2', '#9a3412', '#7a2fb5', '#0b6b6b', '#a81b5c', '#4f6b10'];

/** Returns an icon of four pods in the colour of the context. One pod is red if pods fail. */
function iconOf(colour: number, isFailing: boolean): string {
  const ground = colours[colour] ?? '#1757c2';
  const pod = (x: number, y: number, fill: string): string =>
    `<rect x="${x}" y="${y}" width="4.500" height="4.500" rx="1" fill="${fill}"/>`;
  const mark = isFailing
    ? '<circle cx="11.500" cy="11.500" r="4.500" fill="#e5352b" stroke="#fff"/>'
    : pod(8.5, 8.5, '#fff');
  const picture = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="${ground}"/>${pod(3, 3, '#fff')}${pod(8.5, 3, '#fff')}${pod(3, 8.5, '#fff')}${mark}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(picture)}`;
}
