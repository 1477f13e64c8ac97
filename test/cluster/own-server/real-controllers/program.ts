import type { Collection, Pod, ReplicaSet, Service } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { merge, type Observable } from 'rxjs';
import { podIs, type Answers, type PodCounts } from './answers.js';
import { addressesOf, kubernetesRules, type Addresses, type EndpointRules } from './endpoint-rules.js';
import type { Inputs } from './state.js';

/** The parts of the program that a planted fault replaces. */
export interface ProgramParts {
  readonly rules?: EndpointRules;
  /** The scope of the selectors of Services. */
  readonly within?: 'namespace' | 'cluster';
  /** The pods that Services select. */
  readonly selectable?: Collection<Pod>;
  readonly replicaSets?: Collection<ReplicaSet>;
  readonly pods?: Collection<Pod>;
}

/** The derived collections that are compared with real controllers. */
export interface Program {
  /** Emits whenever one of the collections, or one of their inputs, notifies its subscribers. */
  readonly notifications$: Observable<unknown>;
  /** Returns the present answers about the objects of some namespaces. */
  answers(namespaces: readonly string[]): Answers;
}

export function programOf(inputs: Inputs, parts: ProgramParts = {}): Program {
  const { deployments, statefulSets, daemonSets, jobs, services } = inputs;
  const { rules = kubernetesRules, within = 'namespace', selectable = inputs.pods } = parts;
  const { replicaSets = inputs.replicaSets, pods = inputs.pods } = parts;
  const selected = derived.selectorJoin(services, selectable, { selector: derived.serviceSelector, within });
  const addresses = derived.groupJoin(services, selected, {
    on: 'selectedBy',
    select: (service: Service, rows): Addresses & { readonly namespace: string } => ({
      namespace: service.metadata.namespace ?? '',
      ...addressesOf(
        service,
        rows.map(({ object }) => object),
        rules,
      ),
    }),
  });
  const tree = derived.ownerTree({ deployments, replicaSets, statefulSets, daemonSets, jobs, pods });
  type Node = ReturnType<typeof tree.list>[number];
  const countOf = (name: keyof PodCounts) =>
    derived.count<Node>((node) => node.from === 'pods' && podIs[name](node.object));
  const counts = derived.rollUp(tree, {
    active: countOf('active'),
    ready: countOf('ready'),
    succeeded: countOf('succeeded'),
    failed: countOf('failed'),
  });
  return {
    notifications$: merge(
      ...[services, selectable, selected, addresses, replicaSets, pods, tree, counts].map(({ changes$ }) => changes$),
    ),
    answers: (namespaces) => {
      const nodes = tree.list().filter(({ object }) => namespaces.includes(object.metadata.namespace ?? ''));
      const keys = addresses.snapshot.keys();
      return {
        addresses: new Map(
          keys.flatMap((key) => {
            const { namespace = '', endpoints = [], slices = [] } = addresses.get(key) ?? {};
            return namespaces.includes(namespace) ? [[key, { endpoints, slices }] as const] : [];
          }),
        ),
        owners: new Map(nodes.map(({ uid, edge, owner = '' }) => [uid, `${edge} ${owner}`.trim()])),
        counts: new Map(
          nodes.map(({ uid }) => [uid, counts.get(uid) ?? { active: 0, ready: 0, succeeded: 0, failed: 0 }]),
        ),
      };
    },
  };
}
