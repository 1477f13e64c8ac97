import type { KubernetesNode, Pod } from 'rx-informers';
import { amountOf } from '../metrics/usage.js';

/** The amount of a node's resource that its pods request. */
export interface ResourceLoad {
  readonly name: string;
  /** The amount as text, in the unit of the resource: `3.2`, `12Gi`. */
  readonly requested: string;
  readonly allocatable: string;
  readonly capacity: string;
  /** The requested amount divided by the allocatable amount; may exceed 1. */
  readonly share: number;
}

/**
 * Returns how much of a node's resources its pods request: pods, CPU, memory, ephemeral storage and
 * extended resources.
 */
export function nodeLoad({ status }: KubernetesNode, pods: readonly Pod[]): readonly ResourceLoad[] {
  const { allocatable = {}, capacity = {} } = status ?? {};
  const counted = pods.filter(({ status: of }) => of?.phase !== 'Succeeded' && of?.phase !== 'Failed');
  const names = Object.keys(allocatable).filter((name) => shown.has(name) || isExtended(name));
  const loads = names.map((name): ResourceLoad => {
    const requested = counted.reduce((sum, pod) => sum + podRequest(pod, name), 0);
    const most = amountOf(allocatable[name]);
    return {
      name,
      requested: textOf(name, requested),
      allocatable: textOf(name, most),
      capacity: textOf(name, amountOf(capacity[name])),
      share: most === 0 ? 0 : requested / most,
    };
  });
  const most = amountOf(allocatable['pods']);
  if (most === 0) return loads;
  return [
    {
      name: 'pods',
      requested: String(counted.length),
      allocatable: String(most),
      capacity: String(amountOf(capacity['pods'])),
      share: counted.length / most,
    },
    ...loads,
  ];
}

const shown: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);

/** Returns whether a resource is an extended one, such as the device `nvidia.com/gpu`. */
function isExtended(name: string): boolean {
  return name.includes('/');
}

/**
 * Returns the request of a pod as the scheduler computes it. Takes the greater of two amounts: the
 * containers and sidecars together, or the largest init container with the sidecars that start
 * before it. Adds the overhead of the pod's runtime.
 */
export function podRequest({ spec }: Pod, name: string): number {
  const request = ({
    resources,
  }: {
    readonly resources?: { readonly requests?: Readonly<Record<string, string>> };
  }): number => amountOf(resources?.requests?.[name]);
  let sidecars = 0;
  let starting = 0;
  for (const container of spec?.initContainers ?? []) {
    const own = request(container);
    if (container.restartPolicy === 'Always') sidecars += own;
    starting = Math.max(starting, container.restartPolicy === 'Always' ? sidecars : sidecars + own);
  }
  const running = (spec?.containers ?? []).reduce((sum, container) => sum + request(container), sidecars);
  return Math.max(starting, running) + amountOf(spec?.overhead?.[name]);
}

function textOf(name: string, value: number): string {
  if (name === 'memory' || name === 'ephemeral-storage') return bytesText(value);
  return String(Math.round(value * 100) / 100);
}

/** Returns bytes in the most readable unit: `512Mi`, `3.2Gi`. */
function bytesText(bytes: number): string {
  const units = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi'];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const amountOfUnit = bytes / 1024 ** power;
  return `${Math.round(amountOfUnit * 10) / 10}${units[power] ?? ''}`;
}
