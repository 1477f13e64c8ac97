import type { KubernetesObject } from '../kubernetes/object.js';
import type { Resource } from '../kubernetes/resource.js';
import { matchesLabelSelector } from '../kubernetes/selector.js';
import type { ListWatchOptions } from './list-watch-options.js';
import { checkedShard } from './shard/checked-shard.js';
import { shardFilter } from './shard/shard-filter.js';
import type { Selection } from './source.js';

/**
 * Returns which objects `listWatch` delivers with these options, as far as that can be known without the API server:
 * namespaces, label selector and shard are evaluated. A field selector is not, nor are namespaces that change.
 *
 * An object of another kind (the `Scale` of a Deployment) says nothing about labels and counts as selected.
 */
export function selectionFor(
  resource: Resource<unknown>,
  { namespace = '', labelSelector = '', shard: given }: ListWatchOptions<never, boolean, unknown>,
): Selection {
  const namespaces = typeof namespace === 'string' && namespace !== '' ? [namespace] : namespace;
  const known = Array.isArray(namespaces) ? new Set<unknown>(namespaces) : undefined;
  const matches = matcher(labelSelector);
  const shard = checkedShard(given);
  const owns = shard && shardFilter(shard).owns;
  return (object) => {
    const { kind, metadata } = object as KubernetesObject;
    if (known && !known.has(metadata?.namespace)) return false;
    if (owns && !owns(object as KubernetesObject)) return false;
    const isOther = kind !== undefined && resource.kind !== undefined && kind !== resource.kind;
    return isOther || matches(metadata?.labels);
  };
}

/** A text that this library cannot read goes to the server as it is; then nothing is known about labels. */
function matcher(selector: NonNullable<ListWatchOptions<never>['labelSelector']>) {
  try {
    return matchesLabelSelector(selector);
  } catch (error) {
    if (typeof selector === 'string') return () => true;
    throw error;
  }
}
