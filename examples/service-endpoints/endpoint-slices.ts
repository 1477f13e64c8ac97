import type { EndpointSlice, Pod, Service } from 'rx-informers';

/**
 * The part of an EndpointSlice that this controller sets. The API server adds the remaining fields.
 */
export type DesiredSlice = Pick<EndpointSlice, 'addressType' | 'endpoints' | 'ports'> & {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly labels: Record<string, string> };
};

type Endpoint = NonNullable<EndpointSlice['endpoints']>[number];
type Port = NonNullable<EndpointSlice['ports']>[number];

/** The label with the writer of a slice. This controller ignores slices of other controllers. */
export const managedBy = { 'endpointslice.kubernetes.io/managed-by': 'service-endpoints.example.com' };

/** The label by which kube-proxy finds the slices of a Service. */
export const serviceNameLabel = 'kubernetes.io/service-name';

/** Kubernetes' default for the endpoints of one slice (`--max-endpoints-per-slice`). */
const maxEndpoints = 100;

/**
 * Returns the EndpointSlices of a Service for the pods that its selector matches, by the rules of
 * the EndpointSlice controller of Kubernetes.
 *
 * | pod | endpoint |
 * | --- | --- |
 * | has no IP of the address family, or has succeeded or failed | none |
 * | is ready and not terminating | ready, serving |
 * | is not ready | not ready, not serving |
 * | is terminating | terminating, never ready; serving while the pod is ready |
 *
 * A named target port is looked up in the pod, so pods may differ in their ports. Pods with the
 * same ports share slices of at most 100 endpoints each. With `publishNotReadyAddresses`, every
 * endpoint is ready.
 *
 * https://kubernetes.io/docs/concepts/services-networking/endpoint-slices/
 */
export function endpointSlicesOf(service: Service, pods: readonly Pod[]): readonly DesiredSlice[] {
  const { selector, type, ipFamilies = ['IPv4'] } = service.spec ?? {};
  // The user writes the endpoints of a Service without a selector. A Service of type ExternalName
  // has no endpoints.
  if (selector === undefined || type === 'ExternalName') return [];
  return ipFamilies.flatMap((family) => slicesOfFamily(service, pods, family));
}

function slicesOfFamily(service: Service, pods: readonly Pod[], family: string): readonly DesiredSlice[] {
  const byPorts = new Map<string, { readonly ports: Port[]; readonly endpoints: Endpoint[] }>();
  for (const pod of pods) {
    const endpoint = endpointOf(service, pod, family);
    if (endpoint === undefined) continue;
    const ports = portsOf(service, pod);
    const id = JSON.stringify(ports);
    const group = byPorts.get(id) ?? { ports, endpoints: [] };
    byPorts.set(id, group);
    group.endpoints.push(endpoint);
  }
  // Like Kubernetes, keeps one slice without endpoints, so that a reader sees that there are no
  // endpoints.
  if (byPorts.size === 0) byPorts.set('', { ports: [], endpoints: [] });
  const { name, namespace } = service.metadata;
  return [...byPorts.values()]
    .flatMap(({ ports, endpoints }) => chunks(endpoints).map((some) => ({ ports, endpoints: some })))
    .map(({ ports, endpoints }, position) => ({
      metadata: {
        name: `${name}-${family.toLowerCase()}-${position}`,
        namespace: namespace ?? 'default',
        labels: { ...managedBy, [serviceNameLabel]: name },
      },
      addressType: family,
      ports,
      endpoints,
    }));
}

function endpointOf(service: Service, pod: Pod, family: string): Endpoint | undefined {
  const { status, spec, metadata } = pod;
  const { namespace = 'default' } = metadata;
  const isOver = status?.phase === 'Succeeded' || status?.phase === 'Failed';
  const address = status?.podIPs?.find(({ ip }) => ip.includes(':') === (family === 'IPv6'))?.ip;
  if (isOver || address === undefined) return undefined;
  const serving = status?.conditions?.some((each) => each.type === 'Ready' && each.status === 'True') ?? false;
  const terminating = metadata.deletionTimestamp !== undefined;
  const ready = service.spec?.publishNotReadyAddresses === true || (serving && !terminating);
  return {
    addresses: [address],
    conditions: { ready, serving, terminating },
    ...(spec?.nodeName !== undefined && { nodeName: spec.nodeName }),
    ...(spec?.hostname !== undefined && spec.subdomain === service.metadata.name && { hostname: spec.hostname }),
    targetRef: { kind: 'Pod', name: metadata.name, namespace, uid: metadata.uid },
  };
}

function portsOf(service: Service, pod: Pod): Port[] {
  return (service.spec?.ports ?? []).flatMap(({ name, protocol = 'TCP', port, targetPort = port, appProtocol }) => {
    const number = typeof targetPort === 'number' ? targetPort : containerPort(pod, targetPort, protocol);
    if (number === undefined) return [];
    return [{ name: name ?? '', port: number, protocol, ...(appProtocol !== undefined && { appProtocol }) }];
  });
}

function containerPort(pod: Pod, name: string, protocol: string): number | undefined {
  const ports = (pod.spec?.containers ?? []).flatMap((container) => container.ports ?? []);
  return ports.find((each) => each.name === name && (each.protocol ?? 'TCP') === protocol)?.containerPort;
}

function chunks(endpoints: readonly Endpoint[]): readonly Endpoint[][] {
  const count = Math.max(Math.ceil(endpoints.length / maxEndpoints), 1);
  return Array.from({ length: count }, (_, index) => endpoints.slice(index * maxEndpoints, (index + 1) * maxEndpoints));
}
