import { informer, listWatch, mergeSources, type Collection, type KubeClient, type Resource } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { collectionHistory } from 'rx-informers/history';
import * as resources from 'rx-informers/resources';
import { asyncScheduler, firstValueFrom, forkJoin, race, take, timer } from 'rxjs';

/** Milliseconds for which changes and warnings are kept. */
const longestPast = 600_000;

/** What an answer says about an object. A change that leaves its facts equal is no change. */
export interface Fact {
  /** The name, with the namespace if there is one. For a warning, also the kind of the object. */
  readonly name: string;
  /** One or two words, such as `CrashLoopBackOff`. */
  readonly state: string;
  readonly severity: resources.Severity;
  /** A sentence about a problem. */
  readonly detail?: string | undefined;
  readonly restarts?: number | undefined;
  /** Differs if the object has changed in a way that matters, even if its state is the same. */
  readonly revision?: string | number | undefined;
  readonly node?: string | undefined;
}

type FactOf = Omit<Fact, 'name'>;

/** One kind of objects: its cache, and what is computed from the cache. */
export type KnownKind = ReturnType<typeof knownKind>;

/** The caches that all answers are computed from. */
export type ClusterFacts = ReturnType<typeof clusterFacts>;

/** Watches a cluster. Secrets are not watched, so no answer can contain one. */
export function clusterFacts(client: KubeClient, namespace?: string) {
  const { scheduler = asyncScheduler } = client;
  const watch = <T>(resource: Resource<T>, fieldSelector?: string): Collection<T> => {
    const options = { fieldSelector, namespace: resource.namespaced ? namespace : undefined };
    const sources = { [resource.plural]: listWatch(client, resource, options) };
    // A kind that may not be listed counts as empty, and each answer says so.
    return informer(mergeSources(sources, { startWithout: ['forbidden', 'not-found'] }), { scheduler });
  };
  const kind = <T>(name: string, objects: Collection<T>, describe: (object: T) => FactOf) => {
    const facts = derived.map(objects, (object, key) => ({ name: key, ...describe(object) }), { indexers });
    return knownKind(name, objects, facts);
  };

  const pods = watch(resources.pods);
  const nodes = watch(resources.nodes);
  const kinds = [
    kind('pod', pods, podFact),
    kind('node', nodes, nodeFact),
    kind('deployment', watch(resources.deployments), workloadFact),
    kind('statefulset', watch(resources.statefulSets), workloadFact),
    kind('daemonset', watch(resources.daemonSets), workloadFact),
    kind('job', watch(resources.jobs), workloadFact),
    kind('service', watch(resources.services), plainFact),
    kind('configmap', watch(resources.configMaps), plainFact),
    warnings(watch(resources.events, 'type=Warning')),
  ];
  const active = derived.filter(pods, ({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed');
  const requests = (name: 'cpu' | 'memory') =>
    derived.sum(({ spec }: resources.Pod) =>
      spec?.containers.map(({ resources }) => derived.quantity(resources?.requests?.[name] ?? 0)),
    );
  const load = { pods: derived.count<resources.Pod>(), cpu: requests('cpu'), memory: requests('memory') };
  const loads = derived.groupBy(active, ({ spec }) => spec?.nodeName, load);
  const synced$ = forkJoin(kinds.map(({ facts }) => facts.synced$.pipe(take(1))));
  return {
    scheduler,
    kinds,
    nodes,
    /** The pods of each node that have not ended, and what they request. */
    loads,
    /** Resolves when each kind has synced or is not readable, or after 20 seconds. */
    ready: firstValueFrom(race(synced$, timer(20_000, scheduler))),
    /** Keeps the caches running. */
    connect: () => {
      const connections = loads.connect();
      const kept = kinds.flatMap(({ recorded, states, problems }) => [recorded, states, problems]);
      for (const each of kept) connections.add(each.connect());
      return connections;
    },
  };
}

const indexers = { name: ({ name }: Fact) => name, node: ({ node }: Fact) => node };

/** @param name the name in the singular, such as `pod` */
function knownKind(name: string, objects: Collection<unknown>, facts: Collection<Fact, 'name' | 'node'>) {
  const first = derived.topK<Fact>(3, (fact) => fact.name, { order: 'ascending' });
  const byState = (counted: Collection<Fact>) =>
    derived.groupBy(counted, ({ state }) => state, { count: derived.count(), first });
  const problems = byState(derived.filter(facts, ({ severity }) => resources.isTrouble(severity)));
  const recorded = collectionHistory(facts, { for: longestPast });
  return { name, objects, facts, states: byState(facts), problems, recorded };
}

/** The warnings of the last minutes, as facts about the objects that they concern. */
function warnings(objects: Collection<resources.KubernetesEvent>) {
  const recent = derived.expireAfter(objects, {
    milliseconds: longestPast,
    since: ({ series, lastTimestamp, eventTime, metadata }) =>
      series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? metadata.creationTimestamp,
  });
  const describe = ({ involvedObject: about, reason = 'Warning', message }: resources.KubernetesEvent): Fact => ({
    name: `${about.kind?.toLowerCase() ?? ''} ${[about.namespace, about.name].filter(Boolean).join('/')}`,
    state: reason,
    severity: 'warning',
    detail: message,
  });
  return knownKind('warning', objects, derived.map(recent, describe, { indexers }));
}

function podFact(pod: resources.Pod): FactOf {
  const { reason, severity, ready, restarts } = resources.podStatus(pod);
  const { conditions = [], containerStatuses = [] } = pod.status ?? {};
  const details = [
    ...containerStatuses.map(({ state }) => state?.waiting?.message ?? state?.terminated?.message),
    ...conditions.filter(({ status }) => status !== 'True').map(({ message }) => message),
  ];
  return {
    state: reason === 'Running' && severity === 'warning' ? 'NotReady' : reason,
    severity,
    detail: resources.isTrouble(severity) ? details.find(Boolean) : undefined,
    restarts,
    revision: `${ready.ready}/${ready.total}`,
    node: pod.spec?.nodeName,
  };
}

function nodeFact(node: resources.KubernetesNode): FactOf {
  const { reason, severity, troubles } = resources.nodeStatus(node);
  const taints = node.spec?.taints?.map(({ key }) => key);
  return { state: [reason, ...troubles].join(','), severity, revision: taints?.join() };
}

function workloadFact(workload: resources.Workload): FactOf {
  const { severity, isDone, message } = resources.workloadStatus(workload);
  return { state: severity, severity, detail: isDone ? undefined : message, revision: workload.metadata.generation };
}

function plainFact({ metadata }: resources.AnyKubernetesObject): FactOf {
  return { state: 'present', severity: 'ok', revision: metadata?.resourceVersion };
}
