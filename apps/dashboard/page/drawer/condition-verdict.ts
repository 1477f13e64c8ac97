import type { Condition } from './facts.js';

/** The meaning of a condition; `neutral` if this page does not know what its type means. */
export type Verdict = 'bad' | 'neutral' | 'good';

/** Which status of a condition of a known type is good. */
interface Polarity {
  readonly good: readonly string[];
  readonly bad: readonly string[];
}

/**
 * The types that mean the same for every kind, by the conventions of the Kubernetes API and of
 * kstatus.
 */
const general: Polarity = { good: ['Ready', 'Available'], bad: ['Stalled', 'Degraded'] };

/** The types that Kubernetes and the Gateway API define, by the group and the plural of the kind. */
const ofKinds: ReadonlyMap<string, Polarity> = new Map<string, Polarity>([
  [
    'namespaces',
    {
      good: [],
      bad: [
        'NamespaceDeletionDiscoveryFailure',
        'NamespaceDeletionGroupVersionParsingFailure',
        'NamespaceDeletionContentFailure',
        'NamespaceContentRemaining',
        'NamespaceFinalizersRemaining',
      ],
    },
  ],
  [
    'nodes',
    {
      good: [],
      bad: [
        'MemoryPressure',
        'DiskPressure',
        'PIDPressure',
        'NetworkUnavailable',
        // Of the node problem detector.
        'KernelDeadlock',
        'ReadonlyFilesystem',
        'FrequentKubeletRestart',
        'FrequentDockerRestart',
        'FrequentContainerdRestart',
        'FrequentUnregisterNetDevice',
        'CorruptDockerOverlay2',
      ],
    },
  ],
  [
    'pods',
    {
      good: ['PodScheduled', 'PodReadyToStartContainers', 'Initialized', 'ContainersReady'],
      bad: ['DisruptionTarget'],
    },
  ],
  ['persistentvolumeclaims', { good: [], bad: ['ControllerResizeError', 'NodeResizeError', 'ModifyVolumeError'] }],
  ['services', { good: [], bad: ['LoadBalancerPortsError'] }],
  ['apps/deployments', { good: ['Progressing'], bad: ['ReplicaFailure'] }],
  ['apps/replicasets', { good: [], bad: ['ReplicaFailure'] }],
  ['replicationcontrollers', { good: [], bad: ['ReplicaFailure'] }],
  ['batch/jobs', { good: ['Complete', 'SuccessCriteriaMet'], bad: ['Failed', 'FailureTarget'] }],
  ['autoscaling/horizontalpodautoscalers', { good: ['AbleToScale', 'ScalingActive'], bad: [] }],
  ['certificates.k8s.io/certificatesigningrequests', { good: ['Approved'], bad: ['Denied', 'Failed'] }],
  [
    'apiextensions.k8s.io/customresourcedefinitions',
    {
      good: ['Established', 'NamesAccepted', 'KubernetesAPIApprovalPolicyConformant'],
      bad: ['NonStructuralSchema'],
    },
  ],
  ['flowcontrol.apiserver.k8s.io/flowschemas', { good: [], bad: ['Dangling'] }],
  ['gateway.networking.k8s.io/gatewayclasses', { good: ['Accepted'], bad: [] }],
  ['gateway.networking.k8s.io/gateways', { good: ['Accepted', 'Programmed'], bad: [] }],
]);

/**
 * Returns a function that returns what a condition means. Pure.
 *
 * | the type | status | verdict |
 * | --- | --- | --- |
 * | should be true (`Ready`, `Available`, `Established`, …) | `True`; `False` | good; bad |
 * | should be false (`Stalled`, `MemoryPressure`, …) | `True`; `False` | bad; good |
 * | `Ready` of a node | `Unknown` | bad: its kubelet no longer reports |
 * | any | any other status | neutral |
 * | any other | any | neutral: nothing says which status is the good one |
 *
 * @param resource the resource as the path of the API names it: `apps/v1/deployments`
 * @param more further types that should be true, such as the readiness gates of a pod
 */
export function verdictsFor(resource: string, more: readonly string[] = []): (condition: Condition) => Verdict {
  const [plural = '', , group] = resource.split('/').reverse();
  const { good, bad } = ofKinds.get(group === undefined ? plural : `${group}/${plural}`) ?? { good: [], bad: [] };
  const isGood = new Set([...general.good, ...good, ...more]);
  const isBad = new Set([...general.bad, ...bad]);
  const isNode = plural === 'nodes' && group === undefined;
  return ({ type, status }) => {
    if (isGood.has(type)) {
      if (status === 'True') return 'good';
      return status === 'False' || (isNode && type === 'Ready') ? 'bad' : 'neutral';
    }
    if (!isBad.has(type)) return 'neutral';
    return status === 'True' ? 'bad' : status === 'False' ? 'good' : 'neutral';
  };
}
