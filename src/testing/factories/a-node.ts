import type { Node } from '../../kubernetes/resources/core.js';
import type { FactoryOptions } from './factory-options.js';
import { objectMeta } from './object-meta.js';

export interface NodeOptions extends Omit<FactoryOptions, 'namespace'> {
  /** Default true. */
  readonly ready?: boolean | undefined;
  /** Default false. */
  readonly unschedulable?: boolean | undefined;
}

/**
 * A node.
 *
 * @example
 * const node = aNode({ name: 'worker-1', ready: false });
 */
export function aNode(options: NodeOptions): Node {
  const { ready = true, unschedulable = false } = options;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: objectMeta('Node', options),
    spec: unschedulable ? { unschedulable } : {},
    status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  };
}
