import type { ClusterInfo } from '../cluster/cluster-info.js';

/** Returns the display name of the cluster. */
export function clusterName({ context, demo }: ClusterInfo): string {
  if (demo) return 'Demo cluster';
  return context ?? 'Kubernetes';
}

/** The number of colours for contexts in `style/palette.css`: `--context-0` and so on. */
export const contextColours = 6;

/**
 * Returns the colour of a context. A context always has the same colour, so that the user
 * recognizes a tab of production.
 */
export function contextColour(context: string | undefined): number {
  if (context === undefined) return 0;
  let hash = 0;
  for (const character of context) hash = (hash * 31 + character.charCodeAt(0)) >>> 0;
  return hash % contextColours;
}
