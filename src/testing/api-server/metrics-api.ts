import { notFound } from './exchange/api-error.js';
import { jsonReply, type ApiReply, type ApiRequest } from './exchange/exchange.js';
import { objectField, objectsAt, stringAt } from './exchange/json.js';
import { parseListOptions } from './read/list-options.js';
import { parseSelection } from './read/selection.js';
import { servedApiVersion, resourceSubject, type BuiltInKind } from './resources/catalog.js';
import type { ResourceRoute } from './resources/routing.js';
import { timestamp, type ContainerUsage, type ServerContext } from './storage/server-context.js';
import type { StoredObject } from './storage/stored-object.js';

const group = { group: 'metrics.k8s.io', version: 'v1beta1', isComputed: true } as const;

/** The kinds of metrics-server: computed for each request, so they cannot be watched. */
export const metricsKinds: readonly BuiltInKind[] = [
  { ...group, plural: 'nodes', kind: 'NodeMetrics', namespaced: false },
  { ...group, plural: 'pods', kind: 'PodMetrics', namespaced: true },
];

/** Seconds between two measurements, as in metrics-server. */
const resolution = 15;

/** Answers a GET of the metrics of one pod or node, or a LIST of such metrics. */
export function metricsReply(context: ServerContext, request: ApiRequest, route: ResourceRoute): ApiReply {
  const { resource, namespace, name } = route;
  const apiVersion = servedApiVersion(resource);
  const at = Math.floor(context.scheduler.now() / (resolution * 1000)) * resolution * 1000;
  const measure = resource.namespaced ? podMetrics(context, at) : nodeMetrics(context, at);
  const selection = parseSelection(resource, namespace, parseListOptions(request.query, context.settings));
  const measured = [...context.storage.resource(resource.plural).scan(selection.prefix)].flatMap(([, object]) => {
    if ((name !== '' && object.metadata.name !== name) || !selection.matches(object)) return [];
    const usage = measure(object);
    return usage === undefined ? [] : [{ metadata: metricsMetadata(context, object), ...usage }];
  });
  if (name === '') {
    return jsonReply(200, { kind: resource.listKind, apiVersion, metadata: {}, items: measured });
  }
  if (measured[0] === undefined) throw notFound(resourceSubject(resource, name));
  return jsonReply(200, { kind: resource.kind, apiVersion, ...measured[0] });
}

function metricsMetadata(context: ServerContext, { metadata: { name, namespace, labels } }: StoredObject): object {
  return { name, namespace, creationTimestamp: timestamp(context), labels };
}

type Measure = (object: StoredObject) => object | undefined;

function podMetrics(context: ServerContext, at: number): Measure {
  return (pod) => {
    const used = usageOf(context, pod, at);
    if (used === undefined || used.length === 0) return undefined;
    return { ...measuredAt(at), containers: used.map(([name, usage]) => ({ name, usage: quantities(usage) })) };
  };
}

/**
 * Returns the metrics of a node. If the node has pods, but none of these pods was measured, the
 * node has no metrics, as if its kubelet did not respond.
 */
function nodeMetrics(context: ServerContext, at: number): Measure {
  const totals = new Map<string, ContainerUsage | undefined>();
  for (const [, pod] of context.storage.resource('pods').scan()) {
    const node = stringAt(objectField(pod, 'spec'), 'nodeName') ?? '';
    const used = usageOf(context, pod, at);
    const before = totals.get(node);
    totals.set(node, used?.reduce((total, [, usage]) => sum(total, usage), before ?? nothing) ?? before);
  }
  return ({ metadata: { name } }) => {
    const total = totals.has(name) ? totals.get(name) : nothing;
    return total && { ...measuredAt(at), usage: quantities(total) };
  };
}

const nothing: ContainerUsage = { cpu: 0, memory: 0 };

function sum(a: ContainerUsage, b: ContainerUsage): ContainerUsage {
  return { cpu: a.cpu + b.cpu, memory: a.memory + b.memory };
}

function measuredAt(at: number): object {
  return { timestamp: new Date(at).toISOString().replace('.000Z', 'Z'), window: `${resolution}s` };
}

/** Returns the usage of each running container; `undefined` if one was not measured. */
function usageOf(
  { settings: { containerUsage } }: ServerContext,
  pod: StoredObject,
  at: number,
): readonly (readonly [name: string, usage: ContainerUsage])[] | undefined {
  const status = objectField(pod, 'status');
  if (stringAt(status, 'phase') !== 'Running') return undefined;
  const running = [...objectsAt(status, 'containerStatuses'), ...objectsAt(status, 'initContainerStatuses')]
    .filter((container) => objectField(container, 'state')['running'] !== undefined)
    .map((container) => stringAt(container, 'name') ?? '');
  const used = running.flatMap((container) => {
    const usage = containerUsage?.({ pod, container, at });
    return usage === undefined ? [] : [[container, usage] as const];
  });
  return used.length === running.length ? used : undefined;
}

/** Formats a usage as metrics-server does: nanocores and kibibytes. */
function quantities({ cpu, memory }: ContainerUsage): object {
  const [nanocores, kibibytes] = [Math.round(cpu * 1e9), Math.round(memory / 1024)];
  return { cpu: nanocores === 0 ? '0' : `${nanocores}n`, memory: kibibytes === 0 ? '0' : `${kibibytes}Ki` };
}
