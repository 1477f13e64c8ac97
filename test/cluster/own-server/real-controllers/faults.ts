import { informer, pods, type KubeClient, type Pod, type Service } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { kubernetesRules } from './endpoint-rules.js';
import { programOf, type Program } from './program.js';
import type { Inputs } from './state.js';

/** A program with a planted fault that a comparison with real controllers must find. */
export interface PlantedFault {
  readonly name: string;
  /** Where the fault shows: at rest, or only within a callback. */
  readonly shows: 'at rest' | 'in callbacks';
  readonly plant: (inputs: Inputs, client: KubeClient) => Program;
}

export const plantedFaults: readonly PlantedFault[] = [
  {
    name: 'wrong readiness: each running pod is ready',
    shows: 'at rest',
    plant: (inputs) =>
      programOf(inputs, { rules: { ...kubernetesRules, isReady: ({ status }) => status?.phase === 'Running' } }),
  },
  {
    name: 'foreign namespace: a Service selects pods of all namespaces',
    shows: 'at rest',
    plant: (inputs) => programOf(inputs, { within: 'cluster' }),
  },
  {
    name: 'stale port: a Service keeps its first ports',
    shows: 'at rest',
    plant: (inputs) => {
      const firstPorts = remembering(
        ({ metadata }: Service) => metadata.uid,
        (service) => kubernetesRules.portsOf(service),
      );
      return programOf(inputs, { rules: { ...kubernetesRules, portsOf: firstPorts } });
    },
  },
  {
    name: 'orphan kept: an object keeps its first owner',
    shows: 'at rest',
    plant: (inputs) => {
      const firstOwners = remembering(
        ({ metadata }: Pod) => metadata.uid,
        ({ metadata }) => metadata.ownerReferences ?? [],
      );
      const kept = derived.map(inputs.pods, (pod: Pod) => ({
        ...pod,
        metadata: { ...pod.metadata, ownerReferences: firstOwners(pod) },
      }));
      return programOf(inputs, { pods: kept });
    },
  },
  {
    name: 'missing owner: ReplicaSets without replicas are left out',
    shows: 'at rest',
    plant: (inputs) =>
      programOf(inputs, { replicaSets: derived.filter(inputs.replicaSets, ({ spec }) => spec?.replicas !== 0) }),
  },
  {
    name: 'leaving pod kept: a pod that is being deleted stays in its Service',
    shows: 'at rest',
    plant: (inputs) => programOf(inputs, { rules: { ...kubernetesRules, isLeaving: () => false } }),
  },
  {
    name: 'two watches: Services select the pods of another informer',
    shows: 'in callbacks',
    plant: (inputs, client) => programOf(inputs, { selectable: informer(client, pods) }),
  },
];

/** Returns a function that returns its first value for each key. */
function remembering<T, V>(keyOf: (object: T) => string, valueOf: (object: T) => V): (object: T) => V {
  const first = new Map<string, V>();
  return (object) => {
    const known = first.get(keyOf(object));
    if (known !== undefined) return known;
    const value = valueOf(object);
    first.set(keyOf(object), value);
    return value;
  };
}
