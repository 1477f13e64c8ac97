import type { Collection, Ingress, Pod, Service } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { podStatus } from 'rx-informers/resources';

/** One row for each Service to which an Ingress routes, with the number of its ready pods. */
export function ingressBackends(ingresses: Collection<Ingress>, services: Collection<Service>, pods: Collection<Pod>) {
  const ready = derived.filter(pods, (pod) => podStatus(pod).severity === 'ok');
  const selected = derived.selectorJoin(services, ready, { selector: derived.serviceSelector, within: 'namespace' });
  const counts = derived.groupJoin(services, selected, { on: 'selectedBy', select: (_, rows) => rows.length });
  const routes = derived.flatMap(ingresses, ({ metadata, spec }) => {
    const paths = spec?.rules?.flatMap(({ http }) => http?.paths ?? []) ?? [];
    const backends = [spec?.defaultBackend, ...paths.map(({ backend }) => backend)];
    const names = new Set(backends.flatMap((backend) => backend?.service?.name ?? []));
    return [...names].map((name) => [name, `${metadata.namespace}/${name}`] as const);
  });
  return derived.leftJoin(routes, counts, {
    on: (service) => service,
    select: (service, pods) => ({ service, exists: pods !== undefined, ready: pods ?? 0 }),
  });
}
