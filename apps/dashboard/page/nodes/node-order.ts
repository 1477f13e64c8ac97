import type { KubernetesNode } from 'rx-informers';
import { isTrouble, nodeStatus } from 'rx-informers/resources';

/** The facts that the map needs about a node, besides its pods. */
export interface NodeFacts {
  readonly name: string;
  /**
   * The reason why the node needs attention or accepts no pods: `NotReady`, `MemoryPressure`,
   * `cordoned`.
   */
  readonly trouble: string | undefined;
  /** The order of the node: 0 for trouble, 1 for a cordoned node, 2 for all others. */
  readonly rank: number;
}

export function nodeFacts(node: KubernetesNode): NodeFacts {
  const { reason, severity, troubles } = nodeStatus(node);
  const isCordoned = node.spec?.unschedulable === true;
  const [word = ''] = reason.split(',');
  const trouble = word === 'Ready' ? (troubles[0] ?? (isCordoned ? 'cordoned' : undefined)) : word;
  return { name: node.metadata.name, trouble, rank: isTrouble(severity) ? 0 : isCordoned ? 1 : 2 };
}

interface Order {
  readonly facts: readonly NodeFacts[];
  /** The names of nodes to which pods are bound. Contains `''` if a pod has no node. */
  readonly occupied: readonly string[];
  /** The names of nodes with failing pods. */
  readonly troubled: ReadonlySet<string>;
}

/**
 * Returns the names of the nodes in order: nodes in trouble first, then nodes with failing pods, then
 * cordoned nodes, then all others. Nodes of one rank are sorted by name. The name `''` comes before
 * all nodes, and stands for all pods without a node.
 */
export function nodeOrder({ facts, occupied, troubled }: Order): readonly string[] {
  const ranks = new Map(facts.map(({ name, rank }) => [name, rank]));
  const rank = (name: string): number => {
    const own = ranks.get(name) ?? 2;
    if (name === '') return -1;
    return own === 0 ? 0 : troubled.has(name) ? 1 : 1 + own;
  };
  const names = [...new Set([...ranks.keys(), ...occupied])];
  return names.sort((a, b) => rank(a) - rank(b) || naturally.compare(a, b));
}

/** Sorts `node-2` before `node-10`. */
const naturally = new Intl.Collator('en', { numeric: true });
