import type { Pod, Service } from 'rx-informers';

/**
 * The addresses of a Service, one line for each pod and port: `10.1.0.3 web-x node-0 http:80/TCP
 * ready`. Endpoints and EndpointSlices have different rules.
 */
export interface Addresses {
  readonly endpoints: readonly string[];
  readonly slices: readonly string[];
}

/** The decisions that a planted fault replaces. */
export interface EndpointRules {
  readonly isReady: (pod: Pod) => boolean;
  readonly isLeaving: (pod: Pod) => boolean;
  readonly portsOf: (service: Service) => readonly ServicePort[];
}

type ServicePort = NonNullable<NonNullable<Service['spec']>['ports']>[number];

export const kubernetesRules: EndpointRules = {
  isReady: ({ status }) => status?.conditions?.some((each) => each.type === 'Ready' && each.status === 'True') === true,
  isLeaving: ({ metadata }) => metadata.deletionTimestamp !== undefined,
  portsOf: ({ spec }) => spec?.ports ?? [],
};

/** Returns what the controllers of Kubernetes 1.20 write for a Service and its pods. */
export function addressesOf(service: Service, pods: readonly Pod[], rules: EndpointRules): Addresses {
  const isPublic = service.spec?.publishNotReadyAddresses === true;
  const placed = pods.filter((pod) => pod.status?.podIP !== undefined && (isPublic || !rules.isLeaving(pod)));
  const linesOf = (pod: Pod, ports: readonly string[]): readonly string[] => {
    const state = isPublic || rules.isReady(pod) ? 'ready' : 'not ready';
    return ports.map((port) => addressLine(pod.status?.podIP, pod.metadata.name, pod.spec?.nodeName, port, state));
  };
  const endpoints = placed.filter((pod) => isPublic || rules.isReady(pod) || !hasEnded(pod));
  const slices = placed.filter((pod) => !hasEnded(pod));
  const isWithoutPorts = rules.portsOf(service).length === 0;
  return {
    endpoints: endpoints
      .flatMap((pod) => linesOf(pod, isWithoutPorts ? [noPort] : portsAt(pod, service, rules)))
      .sort(),
    slices: slices
      .flatMap((pod) => {
        const ports = portsAt(pod, service, rules);
        return linesOf(pod, ports.length === 0 ? [noPort] : ports);
      })
      .sort(),
  };
}

export const noPort = '-';

export function addressLine(
  ip: string | undefined,
  pod: string | undefined,
  node: string | undefined,
  port: string,
  state: 'ready' | 'not ready',
): string {
  return [ip, pod, node, port, state].join(' ');
}

export function portText(port: {
  readonly name?: string | undefined;
  readonly port?: number | undefined;
  readonly protocol?: string | undefined;
}): string {
  return `${port.name ?? ''}:${port.port}/${port.protocol ?? 'TCP'}`;
}

/** Returns the ports of a Service as this pod serves them, without names that the pod lacks. */
function portsAt({ spec }: Pod, service: Service, rules: EndpointRules): readonly string[] {
  const named = (spec?.containers ?? []).flatMap(({ ports = [] }) => ports);
  return rules.portsOf(service).flatMap(({ name, port, targetPort = port, protocol = 'TCP' }) => {
    const found =
      typeof targetPort === 'number'
        ? targetPort
        : named.find((each) => each.name === targetPort && (each.protocol ?? 'TCP') === protocol)?.containerPort;
    return found === undefined ? [] : [portText({ name, port: found, protocol })];
  });
}

function hasEnded({ spec, status }: Pod): boolean {
  if (spec?.restartPolicy === 'Never') return status?.phase === 'Failed' || status?.phase === 'Succeeded';
  return spec?.restartPolicy === 'OnFailure' && status?.phase === 'Succeeded';
}
