import type { Collection, Pod, Service } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import type { Severity } from 'rx-informers/resources';
import { metaNamespaceKey } from 'rx-informers/store';
import type { PodEntry } from '../pods/pod-entries.js';
import { filterPredicate, type PodFilter } from '../pods/pod-filter.js';
import { podPhase, statusOf, type PodPhase } from '../pods/pod-phase.js';
import { deletionOf, terminating } from '../text/deletion.js';
import { isReady } from './workload-collections.js';

/** The pods of a Service in numbers. */
export interface Endpoints {
  readonly pods: number;
  readonly ready: number;
  readonly phases: derived.Tally<PodPhase>;
}

/** The row of a Service. */
export interface ServiceRow {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly createdAt: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly type: string;
  /** The ports as text: `80 → 8080`, `443`. */
  readonly ports: string;
  /** The selector as text: `app=web`; empty if the Service has none. */
  readonly selector: string;
  readonly endpoints: Endpoints;
  readonly severity: Severity;
  readonly status: string;
}

export interface ServiceCollections {
  /**
   * The pods that Services select, by the key of the pod. The index `selectedBy` finds them by
   * Service.
   */
  readonly selected: derived.DerivedCollection<{ readonly object: Pod } & derived.SelectedRow, 'selectedBy'>;
  readonly services: derived.DerivedCollection<ServiceRow>;
}

const noEndpoints: Endpoints = { pods: 0, ready: 0, phases: {} };

/** Returns a row for each Service, with the pods that it selects. */
export function serviceCollections(services: Collection<Service>, pods: Collection<Pod>): ServiceCollections {
  const selected = derived.selectorJoin(services, pods, { selector: derived.serviceSelector, within: 'namespace' });
  const endpoints = derived.groupBy(selected, 'selectedBy', {
    // Ended pods no longer serve requests.
    pods: derived.count(({ object }: { readonly object: Pod }) => !hasEnded(object)),
    ready: derived.count(({ object }: { readonly object: Pod }) => isReady(object)),
    phases: derived.tally(({ object }: { readonly object: Pod }) => (hasEnded(object) ? undefined : podPhase(object))),
  });
  return {
    selected,
    services: derived.derive(services, { endpoints }, (service, read) => {
      return serviceRow(service, read.endpoints.get(metaNamespaceKey(service)) ?? noEndpoints);
    }),
  };
}

/**
 * Returns the part of a filter that is about pods: all facets except the namespace, which a Service
 * has itself. Returns `undefined` if the filter has no such facet.
 */
export function selectedPart({ chosen: { namespace: _, ...chosen } }: PodFilter): PodFilter | undefined {
  return Object.keys(chosen).length === 0 ? undefined : { chosen, text: '' };
}

/** Returns the Services that select at least one pod that passes the filter. */
export function servicesWithPods(
  { services, selected }: ServiceCollections,
  entries: Collection<PodEntry>,
  filter: PodFilter,
): derived.DerivedCollection<ServiceRow> {
  const passing = derived.filter(entries, filterPredicate(filter) ?? (() => true));
  const remaining = derived.derive(selected, { passing }, (row, read) =>
    read.passing.get(metaNamespaceKey(row.object)) === undefined ? undefined : row,
  );
  const matching = derived.groupBy(remaining, ({ selectedBy }) => selectedBy, { pods: derived.count() });
  return derived.derive(services, { matching }, (service, read) =>
    read.matching.get(service.key) === undefined ? undefined : service,
  );
}

/**
 * Returns the row of a Service.
 *
 * | Service | status | severity |
 * | --- | --- | --- |
 * | is being deleted | `Terminating` | `progressing` |
 * | type `ExternalName` | `→ <name>` | `ok` |
 * | without a selector | `no selector` | `done` |
 * | selects no pod | `selects nothing` | `warning` |
 * | none of its pods is ready | `none ready` | `failing` |
 * | some of its pods are not ready | `2 of 3 ready` | `warning` |
 * | all of its pods are ready | `ready` | `ok` |
 */
export function serviceRow(service: Service, endpoints: Endpoints): ServiceRow {
  const { metadata, spec } = service;
  const { name, namespace = '', creationTimestamp, labels = {} } = metadata;
  const selector = Object.entries(spec?.selector ?? {}).map(([label, value]) => `${label}=${value}`);
  const type = spec?.clusterIP === 'None' ? 'Headless' : (spec?.type ?? 'ClusterIP');
  const [severity, status] =
    deletionOf(service) === undefined
      ? stateOf(spec, selector.length > 0, endpoints)
      : (['progressing', terminating] as const);
  return {
    key: metaNamespaceKey(service),
    namespace,
    name,
    createdAt: creationTimestamp,
    labels,
    type,
    ports: (spec?.ports ?? []).map(portText).join(', '),
    selector: selector.join(', '),
    endpoints,
    severity,
    status,
  };
}

function stateOf(
  spec: Service['spec'],
  hasSelector: boolean,
  { pods, ready }: Endpoints,
): readonly [severity: Severity, status: string] {
  if (spec?.type === 'ExternalName') return ['ok', `→ ${spec.externalName ?? ''}`];
  if (!hasSelector) return ['done', 'no selector'];
  if (pods === 0) return ['warning', 'selects nothing'];
  if (ready === 0) return ['failing', 'none ready'];
  return ready < pods ? ['warning', `${ready} of ${pods} ready`] : ['ok', 'ready'];
}

interface Port {
  readonly port: number;
  readonly targetPort?: number | string | undefined;
  readonly protocol?: string | undefined;
}

function portText({ port, targetPort, protocol = 'TCP' }: Port): string {
  const suffix = protocol === 'TCP' ? '' : `/${protocol}`;
  return targetPort === undefined || targetPort === port ? `${port}${suffix}` : `${port}${suffix} → ${targetPort}`;
}

function hasEnded(pod: Pod): boolean {
  const { severity } = statusOf(pod);
  return severity === 'done' || severity === 'failed';
}
