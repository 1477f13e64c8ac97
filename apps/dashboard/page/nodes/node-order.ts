import type { KubernetesNode } from 'rx-informers';
import { isTrouble, nodeStatus } from 'rx-informers/resources';
import { middleCut } from '../text/middle-cut.js';

/** The properties by which the map can group nodes. */
export const mapGroups = ['none', 'zone', 'pool'] as const;
export type MapGroup = (typeof mapGroups)[number];

/** The facts that the map needs about a node, besides its pods. */
export interface NodeFacts {
  /** The key of the node. */
  readonly name: string;
  /**
   * The reason why the node needs attention or accepts no pods: `NotReady`, `MemoryPressure`,
   * `cordoned`.
   */
  readonly trouble: string | undefined;
  /** The order of the node: 0 for trouble, 1 for a cordoned node, 2 for all others. */
  readonly rank: number;
  readonly zone: string;
  readonly pool: string;
}

const zoneLabels = ['topology.kubernetes.io/zone', 'failure-domain.beta.kubernetes.io/zone'];
const poolLabels = [
  'cloud.google.com/gke-nodepool',
  'eks.amazonaws.com/nodegroup',
  'karpenter.sh/nodepool',
  'kubernetes.azure.com/agentpool',
  'node.kubernetes.io/pool',
  'node-pool',
  'pool',
];

export function nodeFacts(node: KubernetesNode): NodeFacts {
  const { labels = {} } = node.metadata;
  const { reason, severity, troubles } = nodeStatus(node);
  const isCordoned = node.spec?.unschedulable === true;
  const [word = ''] = reason.split(',');
  const trouble = word === 'Ready' ? (troubles[0] ?? (isCordoned ? 'cordoned' : undefined)) : word;
  const first = (names: readonly string[]): string => names.map((label) => labels[label]).find(Boolean) ?? '';
  return {
    name: node.metadata.name,
    trouble,
    rank: isTrouble(severity) ? 0 : isCordoned ? 1 : 2,
    zone: first(zoneLabels),
    pool: first(poolLabels),
  };
}

/** A group of nodes. */
export interface NodeGroup {
  /** The zone or pool; `''` for nodes without one, and if nodes are not grouped. */
  readonly title: string;
  readonly names: readonly string[];
}

interface Order {
  readonly facts: readonly NodeFacts[];
  /** The names of nodes to which pods are bound. Contains `''` if a pod has no node. */
  readonly occupied: readonly string[];
  /** The names of nodes with pods in trouble. */
  readonly troubled: ReadonlySet<string>;
  readonly group: MapGroup;
}

/**
 * Returns the nodes in groups. Sorts each group: nodes in trouble first, then nodes with pods in
 * trouble, then cordoned nodes, then all others. Nodes of one rank are sorted by name. The name
 * `''` comes before all nodes, and stands for all pods without a node.
 */
export function nodeGroups({ facts, occupied, troubled, group }: Order): readonly NodeGroup[] {
  const byName = new Map(facts.map((node) => [node.name, node]));
  const names = [...new Set([...byName.keys(), ...occupied])].filter((name) => name !== '');
  const rank = (name: string): number => {
    const own = byName.get(name)?.rank ?? 2;
    return own === 0 ? 0 : troubled.has(name) ? 1 : 1 + own;
  };
  names.sort((a, b) => rank(a) - rank(b) || naturally.compare(a, b));
  const titleOf = (name: string): string => {
    return group === 'none' ? '' : (byName.get(name)?.[group] ?? '');
  };
  const groups = new Map<string, string[]>();
  for (const name of names) {
    const title = titleOf(name);
    groups.set(title, [...(groups.get(title) ?? []), name]);
  }
  const sorted = [...groups].sort(([a], [b]) => Number(a === '') - Number(b === '') || naturally.compare(a, b));
  const all = sorted.map(([title, ofGroup]): NodeGroup => ({ title, names: ofGroup }));
  if (!occupied.includes('')) return all;
  const [only = { title: '', names: [] }] = all;
  return group === 'none' ? [{ ...only, names: ['', ...only.names] }] : [{ title: 'no node yet', names: [''] }, ...all];
}

/** Sorts `node-2` before `node-10`. */
const naturally = new Intl.Collator('en', { numeric: true });

/** The parts that all names of nodes share. The map need not show them. */
export interface CommonParts {
  /** The common prefix, for example `gke-prod-eu-`; `''` if the names have none. */
  readonly prefix: string;
  /** The common suffix, for example `.c.project.internal` or `-prod-eu`; `''` if they have none. */
  readonly suffix: string;
}

/**
 * The minimum length of a prefix and of a suffix without a dot that is hidden. Hiding a shorter one
 * saves little room, and may confuse the reader.
 */
const shortest = 8;

/**
 * Returns the parts that all names of nodes share: the beginning up to a hyphen, and the end from a
 * dot on, or from a hyphen on if it has no dot. Something remains of each name.
 */
export function commonParts(nodes: readonly string[]): CommonParts {
  const names = nodes.filter((name) => name !== '');
  const [first = '', ...others] = names;
  if (others.length === 0) return { prefix: '', suffix: '' };
  let before = 0;
  while (before < first.length && others.every((name) => name[before] === first[before])) before++;
  const prefix = first.slice(0, first.lastIndexOf('-', before - 1) + 1);
  let after = 0;
  while (after < first.length && others.every((name) => name.at(-1 - after) === first.at(-1 - after))) after++;
  const end = first.slice(first.length - after);
  const suffix = /\..*$/.exec(end)?.[0] ?? longEnough(/-.*$/.exec(end)?.[0]);
  const shown = longEnough(prefix);
  const leaves = (parts: number): boolean => names.every(({ length }) => length > parts);
  if (leaves(shown.length + suffix.length)) return { prefix: shown, suffix };
  return leaves(suffix.length) ? { prefix: '', suffix } : { prefix: '', suffix: '' };
}

function longEnough(part = ''): string {
  return part.length < shortest ? '' : part;
}

/**
 * Returns a name without the common parts. If the rest is longer than `letters` letters (at least
 * 4), its middle is replaced by `…`.
 */
export function shortName(name: string, { prefix, suffix }: CommonParts, letters: number): string {
  const end = suffix !== '' && name.endsWith(suffix) ? name.length - suffix.length : name.length;
  const start = prefix !== '' && name.startsWith(prefix) ? prefix.length : 0;
  return middleCut(name.slice(start, end), Math.max(4, letters));
}
