import type { Pod } from 'rx-informers';

/** The kinds of the objects that a pod can use, by their resource in the address of an object. */
export const usedKinds = {
  'v1/configmaps': 'ConfigMap',
  'v1/secrets': 'Secret',
  'v1/persistentvolumeclaims': 'PersistentVolumeClaim',
  'v1/serviceaccounts': 'ServiceAccount',
} as const;

/** An object in the namespace of a pod that the spec of the pod names. */
export interface UsedObject {
  readonly resource: keyof typeof usedKinds;
  readonly name: string;
}

/** The part of a volume source that can name a Secret. Each driver names its Secret differently. */
interface WithSecret {
  readonly secretName?: string | undefined;
  readonly secretRef?: { readonly name?: string | undefined } | undefined;
  readonly nodePublishSecretRef?: { readonly name?: string | undefined } | undefined;
}

/**
 * Returns the objects that a pod uses, each once: the sources of its volumes, and of the environment
 * of all its containers, its pull secrets and its account.
 *
 * @param podName the name of the pod; without it, the claims that are created for generic ephemeral
 * volumes are omitted, because their names contain it
 */
export function usedObjects(spec: Partial<NonNullable<Pod['spec']>> = {}, podName?: string): readonly UsedObject[] {
  const found = new Map<string, UsedObject>();
  const add = (resource: UsedObject['resource'], name: string | undefined): void => {
    if (name !== undefined && name !== '') found.set(`${resource} ${name}`, { resource, name });
  };
  const { volumes = [], initContainers = [], containers = [], ephemeralContainers = [] } = spec;
  for (const volume of volumes) {
    const { configMap, persistentVolumeClaim, projected, ephemeral, name } = volume;
    add('v1/configmaps', configMap?.name);
    add('v1/persistentvolumeclaims', persistentVolumeClaim?.claimName);
    if (ephemeral !== undefined && podName !== undefined) add('v1/persistentvolumeclaims', `${podName}-${name}`);
    for (const { secretName, secretRef, nodePublishSecretRef } of Object.values(volume) as readonly WithSecret[]) {
      add('v1/secrets', secretName ?? secretRef?.name ?? nodePublishSecretRef?.name);
    }
    for (const source of projected?.sources ?? []) {
      add('v1/configmaps', source.configMap?.name);
      add('v1/secrets', source.secret?.name);
    }
  }
  for (const { env = [], envFrom = [] } of [...initContainers, ...containers, ...ephemeralContainers]) {
    for (const { configMapRef, secretRef } of envFrom) {
      add('v1/configmaps', configMapRef?.name);
      add('v1/secrets', secretRef?.name);
    }
    for (const { valueFrom } of env) {
      add('v1/configmaps', valueFrom?.configMapKeyRef?.name);
      add('v1/secrets', valueFrom?.secretKeyRef?.name);
    }
  }
  for (const { name } of spec.imagePullSecrets ?? []) add('v1/secrets', name);
  add('v1/serviceaccounts', spec.serviceAccountName);
  return [...found.values()];
}
