import type { Pod } from '../../kubernetes/resources/core.js';
import type { FactoryOptions } from './factory-options.js';
import { objectMeta } from './object-meta.js';

export interface PodOptions extends FactoryOptions {
  /** The node that runs it; default none: it is still to be scheduled. */
  readonly node?: string | undefined;
  /** Default `Running` on a node, `Pending` without. */
  readonly phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown' | undefined;
  /** Default `app:1`. */
  readonly image?: string | undefined;
  /** Whether the pod says that it can serve; default: if it is running. */
  readonly ready?: boolean | undefined;
  readonly restarts?: number | undefined;
}

/**
 * A pod that states only what matters to a test; everything else is the same in every run.
 *
 * @example
 * const pod = aPod({ name: 'web-1', namespace: 'shop', node: 'worker-1', labels: { app: 'web' } });
 */
export function aPod(options: PodOptions): Pod {
  const { node, image = 'app:1', phase = node === undefined ? 'Pending' : 'Running', restarts = 0 } = options;
  const { ready = phase === 'Running' } = options;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: objectMeta('Pod', options, 'default'),
    spec: { ...(node === undefined ? {} : { nodeName: node }), containers: [{ name: 'main', image }] },
    status: {
      phase,
      ...(phase === 'Pending'
        ? {}
        : {
            conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
            containerStatuses: [{ name: 'main', image, imageID: '', ready, restartCount: restarts }],
          }),
    },
  };
}
