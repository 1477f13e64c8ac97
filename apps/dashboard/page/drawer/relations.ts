import type { Collection, KubernetesObject, Pod, Service } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import {
  formatLabelSelector,
  matchesLabelSelector,
  type LabelSelectorObject,
  type Severity,
} from 'rx-informers/resources';
import { metaNamespaceKey } from 'rx-informers/store';
import { nodeResource, podResource } from '../address/page-address.js';
import { isCustom } from '../kinds/discovery.js';
import { podEntriesOf } from '../pods/pod-entries.js';
import {
  indexByPlacement,
  noFilter,
  ownerOf,
  splitWorkload,
  workloadOfFilter,
  type PodFilter,
} from '../pods/pod-filter.js';
import { statusOf } from '../pods/pod-phase.js';
import { resourceOfKind } from '../text/text.js';
import {
  workloadCollections,
  type WorkloadCollections,
  type WorkloadInputs,
} from '../workloads/workload-collections.js';
import { workloadResources, type WorkloadNode, type WorkloadSource } from '../workloads/workload-node.js';
import { worstOf } from '../workloads/workload.js';
import { usedKinds, usedObjects, type UsedObject } from './used-objects.js';

/** The fields of an opened object that decide what is related to it. */
export interface Subject {
  /** The resource as the path of the API names it: `apps/v1/deployments`. */
  readonly resource: string;
  /** The key under which the object is stored. */
  readonly key: string;
  readonly uid: string;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The selector by which it selects pods; `undefined` if it selects none by labels. */
  readonly selector: LabelSelectorObject | undefined;
}

/** Returns the fields of an object that decide what is related to it. */
export function subjectOf(resource: string, object: KubernetesObject): Subject {
  const { uid = '', namespace, name = '', labels = {} } = object.metadata ?? {};
  return {
    resource,
    key: metaNamespaceKey(object),
    uid,
    namespace,
    name,
    labels,
    selector: selectorOf(resource, object),
  };
}

interface Selecting {
  readonly spec?: { readonly selector?: LabelSelectorObject; readonly podSelector?: LabelSelectorObject };
}

function selectorOf(resource: string, object: KubernetesObject): LabelSelectorObject | undefined {
  const { spec } = object as Selecting;
  switch (resource) {
    case 'v1/services':
      return derived.serviceSelector(object as Service) as LabelSelectorObject | undefined;
    case 'policy/v1/poddisruptionbudgets':
      return spec?.selector;
    case 'networking.k8s.io/v1/networkpolicies':
      return spec?.podSelector;
    default:
      return undefined;
  }
}

/** One line about a related object. */
export interface RelatedRow {
  readonly resource: string;
  readonly kind: string;
  /** The key under which the object is stored. */
  readonly key: string;
  readonly name: string;
  readonly severity: Severity | undefined;
  /** The status in a few words; empty for an object without a status. */
  readonly text: string;
  readonly createdAt: string | undefined;
}

/** The objects of one kind of relation to an object. */
export interface Relation {
  readonly title: string;
  readonly rows: Collection<RelatedRow>;
  /** The pods of the rows, if the rows are pods. */
  readonly pods?: Collection<Pod>;
  /** The filter that selects the pods of the rows in the table of pods, if one can. */
  readonly filter?: PodFilter | undefined;
  /** The sentence if there are no rows. Without it, the relation is not shown then. */
  readonly nothing?: string;
}

export interface Relations {
  readonly all: readonly Relation[];
  /** The workload with its rollout, for an object that owns pods. */
  readonly workloads: WorkloadCollections['workloads'] | undefined;
}

/** The collections that relations are computed from, at the time that the page shows. */
export interface RelatedCollections {
  readonly pods: Collection<Pod>;
  /** The Services of the namespace, for a pod. */
  readonly services?: Collection<Service> | undefined;
  /** The workloads of the namespace of the kinds that `kindsBelow` names. */
  readonly workloads: WorkloadInputs;
}

const sources = Object.entries(workloadResources) as readonly (readonly [WorkloadSource, string])[];

/** Returns the source of a kind in the owner tree; `undefined` for a kind that is no workload. */
export function sourceOf(resource: string): WorkloadSource | undefined {
  return sources.find(([from, known]) => known === resource && from !== 'pods')?.[0];
}

/** The kinds between an object and its pods that must be read. A custom object can own each kind. */
export function kindsBelow(resource: string): readonly WorkloadSource[] {
  const [, , group = ''] = resource.split('/').reverse();
  if (resource === workloadResources.deployments) return ['replicaSets'];
  if (resource === workloadResources.cronJobs) return ['jobs'];
  return isCustom(group) ? sources.flatMap(([from]) => (from === 'pods' ? [] : [from])) : [];
}

/**
 * Returns what is related to an object, except for its owners and the objects that it names itself.
 *
 * | object | related |
 * | --- | --- |
 * | a pod | the Services that select it |
 * | a node, a namespace | its pods, and their workloads |
 * | a Service, a PodDisruptionBudget, a NetworkPolicy | the pods that it selects, and their workloads |
 * | a claim, a ConfigMap, a Secret, a ServiceAccount | the pods that use it, and their workloads |
 * | a workload, a custom object | the workloads and the pods below it |
 *
 * The results follow their collections, so they are live, or of the past, as these are.
 */
export function relationsOf(subject: Subject, collections: RelatedCollections): Relations {
  const { resource, namespace = '', name, key } = subject;
  const podsWhere = (isRelated: (pod: Pod) => boolean, nothing: string, filter?: PodFilter): Relations => {
    const related = derived.filter(collections.pods, isRelated);
    return { all: [workloadsOf(related), podRelation(related, nothing, filter)], workloads: undefined };
  };
  if (resource === podResource) return { all: servicesOf(subject, collections), workloads: undefined };
  if (resource === nodeResource) {
    return podsWhere((pod) => indexByPlacement(pod) === key, 'It has no pods.', chosen({ node: key }));
  }
  if (resource === 'v1/namespaces') {
    return podsWhere((pod) => pod.metadata.namespace === name, 'It has no pods.', chosen({ namespace: name }));
  }
  const isHere = (pod: Pod): boolean => pod.metadata.namespace === namespace;
  if (resource in usedKinds) {
    return podsWhere(
      (pod) => isHere(pod) && usedObjects(pod.spec, pod.metadata.name).some(isObject(resource, name)),
      'No pod uses it.',
    );
  }
  if (selecting.has(resource)) {
    const { selector } = subject;
    if (selector === undefined) return podsWhere(() => false, 'It has no selector, so it selects no pods.');
    const matches = matchesLabelSelector(selector);
    const text = formatLabelSelector(selector);
    const filter = { ...chosen({ namespace }), text: text === '' ? '' : `-l ${text}` };
    return podsWhere((pod) => isHere(pod) && matches(pod.metadata.labels), nothingText(namespace, text), filter);
  }
  const isOwner = sourceOf(resource) !== undefined || kindsBelow(resource).length > 0;
  return isOwner ? below(subject, collections) : { all: [], workloads: undefined };
}

const selecting: ReadonlySet<string> = new Set([
  'v1/services',
  'policy/v1/poddisruptionbudgets',
  'networking.k8s.io/v1/networkpolicies',
]);

function chosen(one: Readonly<Record<string, string>>): PodFilter {
  return { ...noFilter, chosen: Object.fromEntries(Object.entries(one).map(([facet, value]) => [facet, [value]])) };
}

function isObject(resource: string, name: string): (used: UsedObject) => boolean {
  return (used) => used.resource === resource && used.name === name;
}

function nothingText(namespace: string, selector: string): string {
  return `It selects nothing: ${namespace} has no pods${selector === '' ? '' : ` with the labels ${selector}`}.`;
}

function servicesOf({ namespace, labels }: Subject, { services }: RelatedCollections): readonly Relation[] {
  if (services === undefined) return [];
  const rows = derived.derive(services, {}, (service): RelatedRow | undefined => {
    const selector = derived.serviceSelector(service);
    const isSelected = selector !== undefined && matchesLabelSelector(selector)(labels);
    if (!isSelected || service.metadata.namespace !== namespace) return undefined;
    return { ...rowOf('v1/services', 'Service', service), severity: undefined, text: service.spec?.type ?? '' };
  });
  return [{ title: 'Services', rows }];
}

function below(subject: Subject, { pods, workloads: inputs }: RelatedCollections): Relations {
  const { resource, namespace, uid } = subject;
  const here = namespace === undefined ? pods : derived.filter(pods, (pod) => pod.metadata.namespace === namespace);
  const { tree, workloads, rowsOf } = workloadCollections({ ...inputs, pods: here }, podEntriesOf(pods));
  const nodes = derived.derive<WorkloadNode, { readonly tree: typeof tree }, WorkloadNode>(
    tree,
    { tree },
    (node, read) => (isBelow(node, uid, (owner) => read.tree.get(owner)) ? node : undefined),
  );
  // The ReplicaSets of a Deployment are its revisions.
  const isRevision = resource === workloadResources.deployments;
  const owned = derived.filter(nodes, ({ from }) => from !== 'pods' && !(isRevision && from === 'replicaSets'));
  const ofPods = derived.derive(nodes, {}, (node) => (node.from === 'pods' ? node.object : undefined));
  const rows = derived.derive(rowsOf(owned), { tree }, ({ uid: each, from, kind, severity, status }, read) => {
    const object = read.tree.get(each)?.object;
    return object && { ...rowOf(workloadResources[from], kind, object), severity, text: status };
  });
  const filter = filterOf(subject);
  const all = [{ title: 'Owns', rows }, podRelation(ofPods, 'It has no pods.', filter)];
  return { all, workloads: sourceOf(resource) && workloads };
}

/** Returns whether an object owns a node, directly or through other nodes. */
function isBelow(node: WorkloadNode, uid: string, get: (uid: string) => WorkloadNode | undefined): boolean {
  for (
    let at: WorkloadNode | undefined = node;
    at !== undefined;
    at = at.owner === undefined ? undefined : get(at.owner)
  ) {
    if (at.reference?.uid === uid) return true;
  }
  return false;
}

/** Returns the filter for the pods of a workload, if the names of its pods tell that they are its own. */
function filterOf({ resource, namespace = '', name, labels }: Subject): PodFilter | undefined {
  const kind = kindsOfOwners.get(resource);
  if (kind === undefined) return undefined;
  const owner = workloadOfFilter(kind, namespace, name, labels);
  // Jobs and ReplicaSets are named as their owners, which may have other pods, too.
  if (owner !== `${kind}/${namespace}/${name}`) return undefined;
  return chosen({ owner });
}

const kindsOfOwners: ReadonlyMap<string, string> = new Map([
  [workloadResources.deployments, 'Deployment'],
  [workloadResources.replicaSets, 'ReplicaSet'],
  [workloadResources.statefulSets, 'StatefulSet'],
  [workloadResources.daemonSets, 'DaemonSet'],
  [workloadResources.jobs, 'Job'],
]);

function podRelation(pods: Collection<Pod>, nothing: string, filter?: PodFilter): Relation {
  const rows = derived.map(pods, (pod): RelatedRow => {
    const { severity, reason, ready } = statusOf(pod);
    return { ...rowOf(podResource, 'Pod', pod), severity, text: `${reason} ${ready.ready}/${ready.total}` };
  });
  return { title: 'Pods', rows, pods, nothing, filter };
}

function rowOf(resource: string, kind: string, object: KubernetesObject): Omit<RelatedRow, 'severity' | 'text'> {
  const { name = '', creationTimestamp } = (object.metadata ?? {}) as Partial<Pod['metadata']>;
  return { resource, kind, key: metaNamespaceKey(object), name, createdAt: creationTimestamp };
}

/** Returns the workloads of pods, each with the number of these pods and their worst severity. */
function workloadsOf(pods: Collection<Pod>): Relation {
  const groups = derived.groupBy(pods, ownerText, {
    pods: derived.count(),
    severities: derived.tally((pod: Pod) => statusOf(pod).severity),
  });
  const rows = derived.map(groups, ({ group, pods: count, severities }): RelatedRow => {
    const [resource = '', kind = '', key = ''] = JSON.parse(group) as readonly string[];
    const name = key.slice(key.lastIndexOf('/') + 1);
    const text = `${count} ${count === 1 ? 'pod' : 'pods'}`;
    return { resource, kind, key, name, severity: worstOf(severities), text, createdAt: undefined };
  });
  return { title: 'Workloads', rows };
}

/** Returns the resource, the kind and the key of the workload of a pod, as one text. */
function ownerText(pod: Pod): readonly string[] {
  const owner = ownerOf(pod);
  const reference = pod.metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (owner === undefined || reference === undefined) return [];
  const { kind, namespace, name } = splitWorkload(owner);
  const resource = resourceOfKind({ apiVersion: reference.apiVersion, kind });
  // The kubelet creates the static pods of a node, which is in no namespace.
  const key = resource === nodeResource ? name : `${namespace}/${name}`;
  return [JSON.stringify([resource, kind, key])];
}
