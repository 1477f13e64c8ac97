import type { Collection, Pod, Service } from 'rx-informers';
import * as derived from 'rx-informers/derived';

/** The Services with a selector that selects no pod. */
export function idleServices(services: Collection<Service>, pods: Collection<Pod>) {
  const selected = derived.selectorJoin(services, pods, { selector: derived.serviceSelector, within: 'namespace' });
  const selecting = derived.filter(services, (service) => derived.serviceSelector(service) !== undefined);
  return derived.groupJoin(selecting, selected, {
    on: 'selectedBy',
    select: (service, rows) => (rows.length === 0 ? service : undefined),
  });
}
