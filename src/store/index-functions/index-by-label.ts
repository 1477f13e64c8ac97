import type { KubernetesObject } from '../../kubernetes/object.js';
import type { IndexFunction } from '../index-function.js';

/** One function for each label, so that two callers of a registry who ask for the same index are seen to do so. */
const byLabel = new Map<string, IndexFunction<KubernetesObject>>();

/**
 * Indexes by the value of one label; objects without that label are in no bucket, those whose label is empty in `''`.
 *
 * **Guarantees**: the same label, the same function.
 *
 * @example
 * informer(listWatch(client, pods), { indexers: { app: indexByLabel('app') } }).byIndex$('app', 'web')
 */
export function indexByLabel(name: string): IndexFunction<KubernetesObject> {
  let indexFunction = byLabel.get(name);
  if (!indexFunction) byLabel.set(name, (indexFunction = labelIndexFunction(name)));
  return indexFunction;
}

function labelIndexFunction(name: string): IndexFunction<KubernetesObject> {
  return ({ metadata }) => {
    const labels = metadata?.labels;
    return labels && Object.hasOwn(labels, name) ? labels[name] : undefined;
  };
}
