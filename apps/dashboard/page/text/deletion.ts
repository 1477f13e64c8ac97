import type { KubernetesObject } from 'rx-informers';

/** The word that kubectl prints for an object that is being deleted. */
export const terminating = 'Terminating';

/** The requested deletion of an object that still exists. */
export interface Deletion {
  /** When the deletion was requested, as an RFC 3339 time. */
  readonly since: string;
  /** The finalizers that must be removed before the object disappears. */
  readonly finalizers: readonly string[];
}

/** Returns the deletion of an object, or `undefined` if no deletion was requested. */
export function deletionOf(object: KubernetesObject): Deletion | undefined {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = loose(object.metadata);
  if (typeof deletionTimestamp !== 'string') return undefined;
  // The timestamp is the end of the grace period, not the time of the request.
  const grace = typeof deletionGracePeriodSeconds === 'number' ? deletionGracePeriodSeconds : 0;
  const requested = Date.parse(deletionTimestamp) - grace * 1000;
  return {
    since: Number.isNaN(requested) ? deletionTimestamp : new Date(requested).toISOString(),
    // A Namespace has the finalizer of its content in its spec.
    finalizers: [...namesIn(finalizers), ...namesIn(loose((object as { readonly spec?: unknown }).spec)['finalizers'])],
  };
}

/**
 * Returns a sentence about the finalizers that hold an object. Explains those that Kubernetes
 * defines.
 */
export function finalizersText(finalizers: readonly string[]): string {
  if (finalizers.length === 0) return 'It has no finalizers.';
  const subject = finalizers.length === 1 ? 'this finalizer is' : 'these finalizers are';
  const named = finalizers.map((name) => (reasons.has(name) ? `${name} (${reasons.get(name)})` : name));
  return `It remains until ${subject} removed: ${named.join(', ')}.`;
}

const reasons: ReadonlyMap<string, string> = new Map([
  ['kubernetes.io/pvc-protection', 'a pod still uses the claim'],
  ['kubernetes.io/pv-protection', 'a claim is still bound to the volume'],
  ['kubernetes', 'its content is deleted first'],
  ['foregroundDeletion', 'the objects that it owns are deleted first'],
  ['orphan', 'the objects that it owns are released first'],
  ['service.kubernetes.io/load-balancer-cleanup', 'its load balancer is removed first'],
  ['customresourcecleanup.apiextensions.k8s.io', 'the objects of its kind are deleted first'],
]);

function loose(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function namesIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}
