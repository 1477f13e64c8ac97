import { isDeepStrictEqual } from 'node:util';
import type { Pod } from 'rx-informers';
import { addressesOf, kubernetesRules, type Addresses } from './endpoint-rules.js';
import type { Owned, State } from './state.js';

/** What the derived collections answer, and what they should. */
export interface Answers {
  /** The addresses of each Service, by the key of the Service. */
  readonly addresses: ReadonlyMap<string, Addresses>;
  /** The edge to the owner of each object, by uid: `none`, `pending`, or `owner` and its uid. */
  readonly owners: ReadonlyMap<string, string>;
  /** The pods below each object, by uid. */
  readonly counts: ReadonlyMap<string, PodCounts>;
}

export interface PodCounts {
  /** Pods that run or will run, and are not being deleted. */
  readonly active: number;
  readonly ready: number;
  readonly succeeded: number;
  readonly failed: number;
}

/** The decisions behind the counts, for one pod. */
export const podIs: Readonly<Record<keyof PodCounts, (pod: Pod) => boolean>> = {
  active: (pod) => isActive(pod),
  ready: (pod) => isActive(pod) && kubernetesRules.isReady(pod),
  succeeded: ({ status }) => status?.phase === 'Succeeded',
  failed: ({ status }) => status?.phase === 'Failed',
};

function isActive({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp === undefined && status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
}

export interface OwnedObject {
  readonly kind?: string | undefined;
  readonly metadata: Pod['metadata'];
}

export function objectsOf(state: Owned): readonly OwnedObject[] {
  const { deployments, replicaSets, statefulSets, daemonSets, jobs, pods } = state;
  return [...deployments, ...replicaSets, ...statefulSets, ...daemonSets, ...jobs, ...pods];
}

export function keyOf({ metadata }: OwnedObject): string {
  return `${metadata.namespace}/${metadata.name}`;
}

/** Computes the answers from lists of objects, with loops and without this library. */
export function naiveAnswers(state: State): Answers {
  const addresses = new Map<string, Addresses>();
  for (const service of state.services) {
    const selector = Object.entries(service.spec?.selector ?? {});
    const selected = state.pods.filter(
      ({ metadata }) =>
        selector.length > 0 &&
        metadata.namespace === service.metadata.namespace &&
        selector.every(([name, value]) => metadata.labels?.[name] === value),
    );
    addresses.set(keyOf(service), addressesOf(service, selected, kubernetesRules));
  }
  const { owners, parents } = ownersOf(state);
  return { addresses, owners, counts: countsOf(state, parents) };
}

/** Reads the owner references: the edge of each object, and the uid of its owner if that exists. */
export function ownersOf(state: Owned) {
  const objects = objectsOf(state);
  const uids = new Set(objects.map(({ metadata }) => metadata.uid));
  const owners = new Map<string, string>();
  const parents = new Map<string, string>();
  for (const { metadata } of objects) {
    const references = metadata.ownerReferences ?? [];
    const reference = references.find(({ controller }) => controller === true) ?? references[0];
    const exists = reference !== undefined && uids.has(reference.uid);
    if (exists) parents.set(metadata.uid, reference.uid);
    owners.set(metadata.uid, exists ? `owner ${reference.uid}` : reference === undefined ? 'none' : 'pending');
  }
  return { owners, parents };
}

function countsOf(state: Owned, parents: ReadonlyMap<string, string>): ReadonlyMap<string, PodCounts> {
  const none = { active: 0, ready: 0, succeeded: 0, failed: 0 };
  const counts = new Map<string, Record<keyof PodCounts, number>>(
    objectsOf(state).map(({ metadata }) => [metadata.uid, { ...none }]),
  );
  for (const pod of state.pods) {
    for (let uid: string | undefined = pod.metadata.uid; uid !== undefined; uid = parents.get(uid)) {
      const total = counts.get(uid);
      if (total === undefined) break;
      for (const name of Object.keys(podIs) as (keyof PodCounts)[]) if (podIs[name](pod)) total[name] += 1;
    }
  }
  return counts;
}

/** Returns the keys under which two answers differ. */
export function contradictions(actual: Answers, expected: Answers): readonly string[] {
  return (['addresses', 'owners', 'counts'] as const).flatMap((about) => {
    const keys = new Set([...actual[about].keys(), ...expected[about].keys()]);
    return [...keys]
      .filter((key) => !isDeepStrictEqual(actual[about].get(key), expected[about].get(key)))
      .map((key) => `${about} ${key}`);
  });
}
