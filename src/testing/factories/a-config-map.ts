import type { ConfigMap } from '../../kubernetes/resources/core.js';
import type { FactoryOptions } from './factory-options.js';
import { objectMeta } from './object-meta.js';

export interface ConfigMapOptions extends FactoryOptions {
  readonly data?: Readonly<Record<string, string>> | undefined;
}

/**
 * A ConfigMap.
 *
 * @example
 * const settings = aConfigMap({ name: 'settings', data: { mode: 'dark' } });
 */
export function aConfigMap(options: ConfigMapOptions): ConfigMap {
  const { data } = options;
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: objectMeta('ConfigMap', options, 'default'),
    ...(data ? { data } : {}),
  };
}
