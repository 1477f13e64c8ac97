import type { Pod } from 'rx-informers';
import { aNode, aPod, type ApiServer } from 'rx-informers/testing';

export interface ManyPodsOptions {
  readonly pods: number;
  readonly nodes: number;
}

/** Creates pods on several nodes and of several apps. Every call creates the same pods. */
export function manyPods(api: ApiServer, { pods, nodes }: ManyPodsOptions): readonly Pod[] {
  const made = Array.from({ length: pods }, (_, index) =>
    aPod({
      name: `pod-${String(index).padStart(5, '0')}`,
      namespace: index % 2 === 0 ? 'shop' : 'blog',
      node: `worker-${index % nodes}`,
      labels: { app: `app-${index % 7}` },
    }),
  );
  api.apply(Array.from({ length: nodes }, (_, index) => aNode({ name: `worker-${index}` })));
  api.apply(made);
  return made;
}
