import type { KubernetesNode } from '../resources/everyday.js';
import type { StatusSummary } from './status-summary.js';

/** The status of a node as `kubectl get nodes` prints it, and its other problems. */
export interface NodeStatusSummary extends StatusSummary {
  /**
   * Problems that kubectl does not print: the conditions `MemoryPressure`, `DiskPressure`,
   * `PIDPressure` and `NetworkUnavailable`, and `Unreachable` if the node's kubelet does not
   * respond. Empty if there are none.
   */
  readonly troubles: readonly string[];
}

/**
 * Returns the status that `kubectl get nodes` prints for a node, by the rules of its printer, and
 * its severity.
 *
 * | severity | the first rule that fits |
 * | --- | --- |
 * | `failing` | the condition `Ready` is false, unknown or missing, or the node has the taint `node.kubernetes.io/unreachable` |
 * | `warning` | `troubles` is not empty |
 * | `progressing` | the node accepts no new pods (`SchedulingDisabled`), for example because it is being drained |
 * | `ok` | the node is ready |
 *
 * **Guarantees**: pure; never throws for a node that the API server accepts; costs O(conditions +
 * taints).
 *
 * @param node the node
 * @returns the printed words, the troubles and the severity
 * @example
 * import { nodeStatus } from 'rx-informers/resources';
 *
 * for (const node of nodeInformer.snapshot.list()) {
 *   // 'Ready,SchedulingDisabled', ['DiskPressure'], 'warning'
 *   const { reason, troubles, severity } = nodeStatus(node);
 * }
 */
export function nodeStatus({ spec, status }: KubernetesNode): NodeStatusSummary {
  const conditions = status?.conditions ?? [];
  // If a condition is listed twice, the last entry counts, as in kubectl.
  const ready = conditions.filter(({ type }) => type === 'Ready').at(-1);
  const isUnreachable = spec?.taints?.some(({ key }) => key === 'node.kubernetes.io/unreachable') === true;
  const isCordoned = spec?.unschedulable === true;
  const troubles = [
    ...(isUnreachable ? ['Unreachable'] : []),
    ...conditions
      .filter(({ type, status: value }) => badWhenTrue.has(type) && value === 'True')
      .map(({ type }) => type),
  ];
  const word = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  return {
    reason: isCordoned ? `${word},SchedulingDisabled` : word,
    severity:
      word !== 'Ready' || isUnreachable
        ? 'failing'
        : troubles.length > 0
          ? 'warning'
          : isCordoned
            ? 'progressing'
            : 'ok',
    troubles,
  };
}

const badWhenTrue: ReadonlySet<string> = new Set([
  'MemoryPressure',
  'DiskPressure',
  'PIDPressure',
  'NetworkUnavailable',
]);
