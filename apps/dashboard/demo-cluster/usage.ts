import * as derived from 'rx-informers/derived';
import type { ContainerUsage, ContainerUsageRequest } from 'rx-informers/testing';
import { hashOf } from './logs.js';

const second = 1000;
const minute = 60 * second;

/** The assumed requests of a container without requests, such as a sidecar. */
const unsized = { cpu: '50m', memory: '96Mi' };

/** Milliseconds between the start of a container and its first measurement. */
const firstMeasured = 10 * second;

/**
 * Returns the usage of a container of the demo. It is a share of the container's requests that
 * varies over minutes, and a little with each measurement. A starting container uses more CPU. The
 * memory of a container that was killed for memory grows to its limit again.
 */
export function demoUsage({ pod, container, at }: ContainerUsageRequest): ContainerUsage | undefined {
  const { spec, status } = pod as unknown as PodParts;
  const { resources } = spec.containers.find(({ name }) => name === container) ?? {};
  const { state, lastState } = status.containerStatuses?.find(({ name }) => name === container) ?? {};
  const age = at - Date.parse(state?.running?.startedAt ?? '');
  if (!(age >= firstMeasured) || isLost(status)) return undefined;
  const { cpu, memory } = { ...unsized, ...resources?.requests };
  const own = (what: string): number => fraction(`${pod.metadata.uid} ${container} ${what}`);
  const wave = Math.sin((2 * Math.PI * (at / minute + 12 * own('phase'))) / (6 + 6 * own('period')));
  const noise = fraction(`${pod.metadata.uid} ${container} ${at}`) - 0.5;
  // A few containers use more than they request.
  const load = 0.12 + 0.55 * own('cpu') ** 2 + (own('busy') > 0.94 ? 0.7 : 0);
  const start = age < 90 * second ? 1.5 * (1 - age / (90 * second)) : 0;
  const isKilled = lastState?.terminated?.reason === 'OOMKilled';
  const memoryShare = isKilled
    ? Math.min(0.99, 0.35 + age / (3 * minute))
    : 0.35 + 0.4 * own('memory') + 0.06 * wave + 0.02 * noise + Math.min(0.1, age / (600 * minute));
  return {
    cpu: Math.max(0.001, derived.quantity(cpu) * (load * (1 + 0.35 * wave + 0.3 * noise) + start)),
    memory: derived.quantity(memory) * memoryShare,
  };
}

/** The fields of a pod of the demo that are read here. */
interface PodParts {
  readonly spec: {
    readonly containers: readonly {
      readonly name: string;
      readonly resources?: { readonly requests?: { readonly cpu?: string; readonly memory?: string } };
    }[];
  };
  readonly status: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly containerStatuses?: readonly {
      readonly name: string;
      readonly ready: boolean;
      readonly state?: { readonly running?: { readonly startedAt?: string } };
      readonly lastState?: { readonly terminated?: { readonly reason?: string } };
    }[];
  };
}

/**
 * Returns whether the node of a pod is lost: its containers are still ready, but the pod is not.
 * The kubelet of a lost node is not measured.
 */
function isLost({ conditions = [], containerStatuses = [] }: PodParts['status']): boolean {
  const isReady = conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
  return !isReady && containerStatuses.every(({ ready }) => ready);
}

/** Returns a number between 0 and 1. The same text always has the same number. */
function fraction(text: string): number {
  // The last steps separate texts that differ only in their last characters.
  let hash = hashOf(text);
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
