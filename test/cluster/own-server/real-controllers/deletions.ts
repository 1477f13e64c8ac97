import { configMaps, namespaces, type ConfigMap, type KubeClient, type Namespace } from 'rx-informers';
import { resourceClient } from 'rx-informers/requests';

/** A ConfigMap, and which earlier ones own it. */
export interface PlannedObject {
  readonly name: string;
  readonly owners: readonly { readonly name: string; readonly blocks: boolean }[];
  /** True for a finalizer that stays until `release`. */
  readonly isHeld: boolean;
}

export type PlannedDeletion =
  | { readonly name: string; readonly policy: 'Background' | 'Foreground' | 'Orphan' }
  | { readonly release: string }
  | 'delete the namespace';

/** Objects that own each other, and what is deleted, one after another. */
export interface DeletionPlan {
  readonly objects: readonly PlannedObject[];
  readonly deletions: readonly PlannedDeletion[];
}

const finalizer = 'example.com/held';

/** Returns a plan with up to two owners for each object. */
export function randomPlan(random: () => number): DeletionPlan {
  const pick = (below: number): number => Math.floor(random() * below);
  const objects: PlannedObject[] = [];
  for (let index = 0; index < 7; index += 1) {
    const owners = new Set(Array.from({ length: index === 0 ? 0 : pick(3) }, () => `c${pick(index)}`));
    objects.push({
      name: `c${index}`,
      owners: [...owners].map((name) => ({ name, blocks: random() < 0.5 })),
      isHeld: random() < 0.15,
    });
  }
  const deletions = Array.from({ length: 3 }, (): PlannedDeletion => {
    const policy = (['Background', 'Foreground', 'Orphan'] as const)[pick(3)] ?? 'Background';
    return { name: `c${pick(5)}`, policy };
  });
  const released = objects.filter(({ isHeld }) => isHeld).map(({ name }) => ({ release: name }));
  const end = random() < 0.3 ? (['delete the namespace'] as const) : [];
  return { objects, deletions: [...deletions, ...(random() < 0.5 ? [...end, ...released] : [...released, ...end])] };
}

/** Creates the objects of a plan in a namespace. */
export async function createPlanned(client: KubeClient, namespace: string, plan: DeletionPlan): Promise<void> {
  const created = new Map<string, string>();
  for (const { name, owners, isHeld } of plan.objects) {
    const ownerReferences = owners.map((owner) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name: owner.name,
      uid: created.get(owner.name) ?? '',
      blockOwnerDeletion: owner.blocks,
    }));
    const object = await resourceClient(client, configMaps).create({
      metadata: { namespace, name, ownerReferences, ...(isHeld ? { finalizers: [finalizer] } : {}) },
    });
    created.set(name, object.metadata.uid);
  }
}

/** Does what a user does. An object that is already gone is left alone. */
export async function carryOut(client: KubeClient, namespace: string, deletion: PlannedDeletion): Promise<void> {
  const objects = resourceClient(client, configMaps);
  const ignore = (error: unknown): undefined => {
    if ((error as { readonly reason?: string }).reason === 'NotFound') return undefined;
    throw error;
  };
  if (deletion === 'delete the namespace') {
    await resourceClient(client, namespaces).delete(namespace).catch(ignore);
  } else if ('release' in deletion) {
    const key = `${namespace}/${deletion.release}`;
    const object = await objects.getOrUndefined(key);
    const { finalizers = [] } = object?.metadata ?? {};
    const left = finalizers.filter((each) => each !== finalizer);
    if (object !== undefined) await objects.patch(key, { metadata: { finalizers: left } }).catch(ignore);
  } else {
    const { name, policy } = deletion;
    await objects.delete(`${namespace}/${name}`, { propagationPolicy: policy }).catch(ignore);
  }
}

/**
 * Returns what is left in a namespace, one line each: `c3, owned by c1, being deleted, finalizers
 * orphan`. The names of owners are sorted.
 */
export async function survivors(client: KubeClient, namespace: string): Promise<readonly string[]> {
  const [found, objects] = await Promise.all([
    resourceClient(client, namespaces).getOrUndefined(namespace),
    resourceClient(client, configMaps).list({ namespace }),
  ]);
  return [
    ...(found === undefined ? [] : [lineOf('the namespace', { metadata: { ...found.metadata, finalizers: [] } })]),
    // Kubernetes puts this one into each namespace.
    ...objects
      .filter(({ metadata }) => metadata.name !== 'kube-root-ca.crt')
      .map((object) => lineOf(object.metadata.name, object)),
  ];
}

function lineOf(name: string, { metadata }: Pick<ConfigMap | Namespace, 'metadata'>): string {
  const owners = (metadata.ownerReferences ?? []).map((owner) => owner.name).sort();
  const finalizers = [...(metadata.finalizers ?? [])].sort();
  return [
    name,
    ...(owners.length > 0 ? [`owned by ${owners.join(' and ')}`] : []),
    ...(metadata.deletionTimestamp === undefined ? [] : ['being deleted']),
    ...(finalizers.length > 0 ? [`finalizers ${finalizers.join(' ')}`] : []),
  ].join(', ');
}
