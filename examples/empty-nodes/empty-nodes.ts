import { indexByNode, informer, nodes, pods, type KubeClient } from 'rx-informers';
import { controller, edit, resourceClient, type ReconcileEvent } from 'rx-informers/controller';
import type { Observable } from 'rxjs';

/** The label that an empty node carries, so that `kubectl get nodes -l example.com/empty` and an autoscaler find it. */
export const emptyLabel = 'example.com/empty';

/**
 * Joins pods and nodes: labels a node when the last of its pods has gone, and takes the label away when one comes.
 *
 * The index is the join: whatever happens to a pod leads to its node (to both, where it moves), and how many others there are is one
 * lookup. Where nothing changes for the node, the recipe changes nothing, and nothing is sent.
 */
export function emptyNodes(client: KubeClient): Observable<ReconcileEvent> {
  const nodeInformer = informer(client, nodes);
  const podInformer = informer(client, pods, { indexers: { node: indexByNode } });
  const nodeClient = resourceClient(client, nodes, { fieldManager: 'empty-nodes' });

  return controller({
    name: 'empty-nodes',
    for: nodeInformer,
    client,
    // As a collection, not as an Observable of it: nothing is called empty before the pods are known.
    watches: [{ source: podInformer, map: (pod) => pod.spec?.nodeName }],
    reconcile: ({ key, object: node, client, signal }) => {
      if (!node) return undefined;
      const isEmpty = podInformer.byIndex('node', key).length === 0;
      return edit(
        nodeClient.via(client),
        node,
        ({ metadata }) => {
          if (isEmpty) (metadata.labels ??= {})[emptyLabel] = 'true';
          else delete metadata.labels?.[emptyLabel];
        },
        { signal },
      );
    },
  });
}
