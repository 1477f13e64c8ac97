import type { Namespace } from '../../kubernetes/resources/core.js';
import type { FactoryOptions } from './factory-options.js';
import { objectMeta } from './object-meta.js';

/**
 * An active namespace.
 *
 * @example
 * const namespace = aNamespace({ name: 'shop' });
 */
export function aNamespace(options: Omit<FactoryOptions, 'namespace'>): Namespace {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: objectMeta('Namespace', options),
    status: { phase: 'Active' },
  };
}
