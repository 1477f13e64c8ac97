import type { Pod } from 'rx-informers';
import { typedTest } from '../text/typed.js';
import { podPhase, podStatusText } from './pod-phase.js';

/** The indexes of pods. */
export type PodIndex = 'namespace' | 'node' | 'label';

/**
 * The filter that the user chose. A pod passes if it has any of the chosen values in each facet,
 * contains the typed words, and matches the typed label selector.
 */
export interface PodFilter {
  /**
   * The chosen values by facet: `namespace`, `status`, `phase`, `owner`, `app`, `node`,
   * `trouble`, or `label.` with the name of a label.
   */
  readonly chosen: Readonly<Record<string, readonly string[]>>;
  /** The typed words, and the typed label selector: see `typedOf`. */
  readonly text: string;
}

export const noFilter: PodFilter = { chosen: {}, text: '' };

/** Returns whether a filter may exclude pods. */
export function isFiltering({ chosen, text }: PodFilter): boolean {
  return text.trim() !== '' || Object.keys(chosen).length > 0;
}

/** Adds a value of a facet to the filter, or removes it. */
export function toggled(filter: PodFilter, facet: string, value: string): PodFilter {
  const { [facet]: before = [], ...others } = filter.chosen;
  const values = before.includes(value) ? before.filter((chosen) => chosen !== value) : [...before, value];
  return { ...filter, chosen: values.length === 0 ? others : { ...others, [facet]: values } };
}

/** Returns a facet and its value as one text, as entries and counts contain it. */
export function pairOf(facet: string, value: string): string {
  return `${facet}=${value}`;
}

/**
 * Splits `label.app=web` into the facet and the value. A facet contains no `=`, because names of
 * labels contain none.
 */
export function splitPair(pair: string): readonly [facet: string, value: string] {
  const at = pair.indexOf('=');
  return [pair.slice(0, at), pair.slice(at + 1)];
}

/** Returns the values of a pod in all facets except `trouble`, as pairs. */
export function podPairs(pod: Pod): readonly string[] {
  const app = appOf(pod.metadata.labels);
  const owner = ownerOf(pod);
  return [
    pairOf('namespace', pod.metadata.namespace ?? ''),
    pairOf('status', podStatusText(pod)),
    pairOf('phase', podPhase(pod)),
    ...(owner === undefined ? [] : [pairOf('owner', owner)]),
    ...(app === undefined ? [] : [pairOf('app', app)]),
    pairOf('node', indexByPlacement(pod)),
    ...indexByLabelPair(pod).map((pair) => `${labelPrefix}${pair}`),
  ];
}

/** A pod with its pairs, as a filter reads it. */
export interface Filtered {
  readonly pod: Pod;
  readonly pairs: readonly string[];
}

/** The parts of a filter that a pod does not match. */
export interface FilterResult {
  /**
   * The number of parts that do not match. A text that does not match counts as two, so that the
   * pod is not counted in any facet.
   */
  readonly misses: number;
  /** One facet that the pod does not match. */
  readonly missed: string | undefined;
}

/** Returns a function that compares a pod with a filter. */
export function filterTest({ chosen, text }: PodFilter): (entry: Filtered) => FilterResult {
  const facets = Object.entries(chosen).map(
    ([facet, values]) => [facet, new Set(values.map((value) => pairOf(facet, value)))] as const,
  );
  const isTyped = typedTest(text);
  return ({ pod, pairs }) => {
    let misses = 0;
    let missed: string | undefined;
    for (const [facet, wanted] of facets) {
      if (pairs.some((pair) => wanted.has(pair))) continue;
      misses++;
      missed = facet;
    }
    if (misses < 2 && isTyped?.(() => textOf(pod), pod.metadata.labels) === false) misses += 2;
    return { misses, missed };
  };
}

/** Returns the condition of a filter, or `undefined` if every pod passes. */
export function filterPredicate(filter: PodFilter): ((entry: Filtered) => boolean) | undefined {
  if (!isFiltering(filter)) return undefined;
  const test = filterTest(filter);
  return (entry) => test(entry).misses === 0;
}

export const labelPrefix = 'label.';

/** Returns the value of a workload in the facet `owner`: `Deployment/shop/web`. */
export function workloadKey(kind: string, namespace: string, name: string): string {
  return `${kind}/${namespace}/${name}`;
}

/** Splits the value of a workload. Neither part can contain a slash. */
export function splitWorkload(key: string): {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
} {
  const [kind = '', namespace = '', name = ''] = key.split('/');
  return { kind, namespace, name };
}

/**
 * Returns the workload of a pod: `Deployment/shop/web` for a pod of its ReplicaSet. Returns
 * `undefined` for a pod without an owner.
 */
export function ownerOf({ metadata: { ownerReferences, namespace = '', labels } }: Pod): string | undefined {
  const owner = ownerReferences?.find(({ controller }) => controller === true);
  return owner && workloadOfFilter(owner.kind, namespace, owner.name, labels);
}

/**
 * Returns the workload whose controller creates pods through an object: the Deployment of a
 * ReplicaSet, the CronJob of a Job. A pod names only its own owner, so the names tell: a Deployment
 * appends the hash of the pod template, a CronJob the minutes since 1970. Returns the object itself
 * if its name has no such end.
 *
 * @param labels the labels of its pods
 */
export function workloadOfFilter(
  kind: string,
  namespace: string,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): string {
  const hash = labels['pod-template-hash'];
  if (kind === 'ReplicaSet' && hash !== undefined && name.endsWith(`-${hash}`)) {
    return workloadKey('Deployment', namespace, name.slice(0, -hash.length - 1));
  }
  const [, scheduled, minutes] = /^(.+)-(\d{8})$/.exec(name) ?? [];
  // Minutes since 1970 that are after the first release of CronJobs. A date such as 20260301 is not.
  const isScheduled = kind === 'Job' && scheduled !== undefined && Number(minutes) > 24_000_000;
  return isScheduled ? workloadKey('CronJob', namespace, scheduled) : workloadKey(kind, namespace, name);
}

/**
 * The labels that name the application of a pod, the widest first: one application may have several
 * workloads.
 */
const appLabels = ['app.kubernetes.io/part-of', 'app.kubernetes.io/name', 'app', 'k8s-app'] as const;

/** Returns the application that labels name; `undefined` if they name none. */
export function appOf(labels: Readonly<Record<string, string>> | undefined): string | undefined {
  return appLabels.map((label) => labels?.[label]).find((value) => value !== undefined);
}

/** Returns the key of the node of a pod, or `''` if the pod has no node. */
export function indexByPlacement(pod: Pod): string {
  return pod.spec?.nodeName ?? '';
}

/** Returns the text in which typed words are searched. */
function textOf(pod: Pod): string {
  const { name, namespace = '' } = pod.metadata;
  return `${namespace}/${name} ${indexByPlacement(pod)} ${podStatusText(pod)} ${pod.status?.podIP ?? ''}`;
}

/** Labels that differ for nearly every pod or rollout, so filtering by them is of no use. */
const tooMany: ReadonlySet<string> = new Set([
  'pod-template-hash',
  'controller-revision-hash',
  'pod-template-generation',
  'statefulset.kubernetes.io/pod-name',
  'apps.kubernetes.io/pod-index',
  'controller-uid',
  'job-name',
  'batch.kubernetes.io/controller-uid',
  'batch.kubernetes.io/job-name',
  'batch.kubernetes.io/job-completion-index',
]);

/**
 * Returns the labels of a pod as `label=value`. The values of this index are all labels of the
 * cluster. Neither part can contain a `=`.
 */
export function indexByLabelPair({ metadata }: Pod): readonly string[] {
  return Object.entries(metadata.labels ?? {})
    .filter(([label]) => !tooMany.has(label))
    .map(([label, value]) => `${label}=${value}`);
}
