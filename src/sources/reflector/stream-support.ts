import type { KubeClient } from '../client/kube-client.js';

/** What the sources of one client know about streaming lists of one API group. */
export interface StreamSupport {
  isRefused(): boolean;
  /** Notes that the server of this group cannot do streaming lists. */
  refuse(): void;
}

const refusedGroups = new WeakMap<KubeClient, Set<string>>();

/**
 * Returns what is shared by the sources of `client` and `group`, for as long as the client exists. It is kept for each group,
 * because an aggregated API server may lack what the others can do (R26 ▲).
 */
export function streamSupport(client: KubeClient, group: string): StreamSupport {
  return {
    isRefused: () => refusedGroups.get(client)?.has(group) === true,
    refuse: () => {
      const groups = refusedGroups.get(client) ?? new Set();
      refusedGroups.set(client, groups.add(group));
    },
  };
}
