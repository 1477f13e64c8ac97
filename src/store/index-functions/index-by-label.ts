import type { KubernetesObject } from '../../kubernetes/object.js';
import type { IndexFunction } from '../index-function.js';

/**
 * Indexes by the value of one label; objects without that label are in no bucket, those whose label is empty in `''`.
 *
 * @example
 * informer(listWatch(client, pods), { indexers: { app: indexByLabel('app') } }).byIndex$('app', 'web')
 */
export function indexByLabel(name: string): IndexFunction<KubernetesObject> {
  return ({ metadata }) => {
    const labels = metadata?.labels;
    return labels && Object.hasOwn(labels, name) ? labels[name] : undefined;
  };
}
