import type { Collection, ConfigMap, Pod } from 'rx-informers';
import * as derived from 'rx-informers/derived';

/** The ConfigMaps that no pod mounts or reads into its environment. */
export function unusedConfigMaps(configMaps: Collection<ConfigMap>, pods: Collection<Pod>) {
  // Every namespace has this one; the API server creates it.
  const own = derived.filter(configMaps, ({ metadata }) => metadata.name !== 'kube-root-ca.crt');
  return derived.groupJoin(own, pods, {
    on: (pod) => namesIn(pod).map((name) => `${pod.metadata.namespace}/${name}`),
    select: (configMap, users) => (users.length === 0 ? configMap : undefined),
  });
}

function namesIn({ spec }: Pod): readonly string[] {
  const volumes = spec?.volumes ?? [];
  const sources = [...volumes, ...volumes.flatMap(({ projected }) => projected?.sources ?? [])];
  const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
  return [
    ...sources.map(({ configMap }) => configMap?.name),
    ...containers.flatMap(({ envFrom = [] }) => envFrom.map(({ configMapRef }) => configMapRef?.name)),
    ...containers.flatMap(({ env = [] }) => env.map(({ valueFrom }) => valueFrom?.configMapKeyRef?.name)),
  ].filter((name) => name !== undefined);
}
