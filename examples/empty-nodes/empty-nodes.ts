import { indexByNode, informer, nodes, pods, type KubeClient } from 'rx-informers';
import { controller, type ReconcileEvent } from 'rx-informers/controller';
import * as derived from 'rx-informers/derived';
import { edit } from 'rx-informers/requests';
import type { Observable } from 'rxjs';

/**
 * The label of an empty node. `kubectl get nodes -l example.com/empty` and an autoscaler can select
 * nodes by it.
 */
export const emptyLabel = 'example.com/empty';

/**
 * Labels a node when its last pod is removed, and removes the label when a pod arrives.
 *
 * A derived collection joins the pods to the nodes. It has one row for each node, with a flag that
 * tells whether the node is empty. If a pod arrives on a node that has other pods, the row of the
 * node stays equal, so the controller does not run.
 */
export function emptyNodes(client: KubeClient): Observable<ReconcileEvent> {
  const nodeInformer = informer(client, nodes);
  const podInformer = informer(client, pods, { indexers: { node: indexByNode } });
  const emptiness = derived.groupJoin(nodeInformer, podInformer, {
    on: 'node',
    select: ({ metadata }, podsOfNode) => ({ node: metadata.name, isEmpty: podsOfNode.length === 0 }),
  });

  return controller({
    name: 'empty-nodes',
    for: nodeInformer,
    client,
    // The collection is synced when both informers are synced, so no node counts as empty before
    // the pods are known (J4).
    watches: [{ source: emptiness, map: ({ node }) => node }],
    reconcile: ({ key, object: node, clientOf, signal }) => {
      const row = emptiness.get(key);
      if (!node || !row) return undefined;
      return edit(
        clientOf(nodes, { fieldManager: 'empty-nodes' }),
        node,
        ({ metadata }) => {
          if (row.isEmpty) (metadata.labels ??= {})[emptyLabel] = 'true';
          else delete metadata.labels?.[emptyLabel];
        },
        { signal },
      );
    },
  });
}
