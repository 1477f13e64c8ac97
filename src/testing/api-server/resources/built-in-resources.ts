import type { Resource } from '../../../kubernetes/resource.js';
import type { ServedResource } from './catalog.js';

/** What a kind has beyond its name: everything that a descriptor does not say. */
interface Traits {
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** Default true: most kinds have a status. */
  readonly status?: boolean;
  readonly generation?: boolean;
  readonly scale?: boolean;
  readonly fields?: readonly string[];
  readonly names?: 'path-segment';
}

type Row = readonly [
  groupVersion: string,
  kind: string,
  plural: string,
  scope: 'Cluster' | 'Namespaced',
  traits?: Traits,
];

const plain: Traits = { status: false };
const workload: Traits = { generation: true, categories: ['all'] };
const rbac: Traits = { status: false, names: 'path-segment' };
const podFields = [
  'spec.nodeName',
  'spec.restartPolicy',
  'spec.schedulerName',
  'spec.serviceAccountName',
  'spec.hostNetwork',
  'status.phase',
  'status.podIP',
  'status.podIPs',
  'status.nominatedNodeName',
];
const eventFields = [
  'involvedObject.kind',
  'involvedObject.namespace',
  'involvedObject.name',
  'involvedObject.uid',
  'involvedObject.apiVersion',
  'involvedObject.resourceVersion',
  'involvedObject.fieldPath',
  'reason',
  'reportingComponent',
  'source',
  'type',
];
const regardingFields = [
  'regarding.kind',
  'regarding.namespace',
  'regarding.name',
  'regarding.uid',
  'regarding.apiVersion',
  'regarding.resourceVersion',
  'regarding.fieldPath',
  'reason',
  'reportingController',
  'type',
];

const rows: readonly Row[] = [
  ['v1', 'ConfigMap', 'configmaps', 'Namespaced', { ...plain, shortNames: ['cm'] }],
  ['v1', 'Endpoints', 'endpoints', 'Namespaced', { ...plain, shortNames: ['ep'] }],
  ['v1', 'Event', 'events', 'Namespaced', { ...plain, shortNames: ['ev'], fields: eventFields }],
  ['v1', 'LimitRange', 'limitranges', 'Namespaced', { ...plain, shortNames: ['limits'] }],
  ['v1', 'Namespace', 'namespaces', 'Cluster', { shortNames: ['ns'], fields: ['status.phase'] }],
  ['v1', 'Node', 'nodes', 'Cluster', { shortNames: ['no'], fields: ['spec.unschedulable'] }],
  ['v1', 'PersistentVolumeClaim', 'persistentvolumeclaims', 'Namespaced', { shortNames: ['pvc'] }],
  ['v1', 'PersistentVolume', 'persistentvolumes', 'Cluster', { shortNames: ['pv'] }],
  ['v1', 'Pod', 'pods', 'Namespaced', { shortNames: ['po'], generation: true, categories: ['all'], fields: podFields }],
  ['v1', 'PodTemplate', 'podtemplates', 'Namespaced', { ...plain, generation: true }],
  [
    'v1',
    'ReplicationController',
    'replicationcontrollers',
    'Namespaced',
    { ...workload, shortNames: ['rc'], scale: true, fields: ['status.replicas'] },
  ],
  ['v1', 'ResourceQuota', 'resourcequotas', 'Namespaced', { shortNames: ['quota'] }],
  ['v1', 'Secret', 'secrets', 'Namespaced', { ...plain, fields: ['type'] }],
  ['v1', 'ServiceAccount', 'serviceaccounts', 'Namespaced', { ...plain, shortNames: ['sa'] }],
  [
    'v1',
    'Service',
    'services',
    'Namespaced',
    { shortNames: ['svc'], categories: ['all'], fields: ['spec.clusterIP', 'spec.type'] },
  ],
  [
    'admissionregistration.k8s.io/v1',
    'MutatingWebhookConfiguration',
    'mutatingwebhookconfigurations',
    'Cluster',
    { ...plain, generation: true, categories: ['api-extensions'] },
  ],
  [
    'admissionregistration.k8s.io/v1',
    'ValidatingWebhookConfiguration',
    'validatingwebhookconfigurations',
    'Cluster',
    { ...plain, generation: true, categories: ['api-extensions'] },
  ],
  [
    'admissionregistration.k8s.io/v1',
    'ValidatingAdmissionPolicy',
    'validatingadmissionpolicies',
    'Cluster',
    { generation: true, categories: ['api-extensions'] },
  ],
  [
    'admissionregistration.k8s.io/v1',
    'ValidatingAdmissionPolicyBinding',
    'validatingadmissionpolicybindings',
    'Cluster',
    { ...plain, generation: true, categories: ['api-extensions'] },
  ],
  [
    'admissionregistration.k8s.io/v1',
    'MutatingAdmissionPolicy',
    'mutatingadmissionpolicies',
    'Cluster',
    { ...plain, generation: true, categories: ['api-extensions'] },
  ],
  [
    'admissionregistration.k8s.io/v1',
    'MutatingAdmissionPolicyBinding',
    'mutatingadmissionpolicybindings',
    'Cluster',
    { ...plain, generation: true, categories: ['api-extensions'] },
  ],
  [
    'apiextensions.k8s.io/v1',
    'CustomResourceDefinition',
    'customresourcedefinitions',
    'Cluster',
    { generation: true, shortNames: ['crd', 'crds'], categories: ['api-extensions'] },
  ],
  [
    'apiregistration.k8s.io/v1',
    'APIService',
    'apiservices',
    'Cluster',
    { generation: true, categories: ['api-extensions'] },
  ],
  ['apps/v1', 'ControllerRevision', 'controllerrevisions', 'Namespaced', plain],
  ['apps/v1', 'DaemonSet', 'daemonsets', 'Namespaced', { ...workload, shortNames: ['ds'] }],
  ['apps/v1', 'Deployment', 'deployments', 'Namespaced', { ...workload, shortNames: ['deploy'], scale: true }],
  [
    'apps/v1',
    'ReplicaSet',
    'replicasets',
    'Namespaced',
    { ...workload, shortNames: ['rs'], scale: true, fields: ['status.replicas'] },
  ],
  ['apps/v1', 'StatefulSet', 'statefulsets', 'Namespaced', { ...workload, shortNames: ['sts'], scale: true }],
  [
    'autoscaling/v2',
    'HorizontalPodAutoscaler',
    'horizontalpodautoscalers',
    'Namespaced',
    { shortNames: ['hpa'], categories: ['all'] },
  ],
  [
    'autoscaling/v1',
    'HorizontalPodAutoscaler',
    'horizontalpodautoscalers',
    'Namespaced',
    { shortNames: ['hpa'], categories: ['all'] },
  ],
  ['batch/v1', 'CronJob', 'cronjobs', 'Namespaced', { ...workload, shortNames: ['cj'] }],
  ['batch/v1', 'Job', 'jobs', 'Namespaced', { ...workload, fields: ['status.successful'] }],
  [
    'certificates.k8s.io/v1',
    'CertificateSigningRequest',
    'certificatesigningrequests',
    'Cluster',
    { shortNames: ['csr'], fields: ['spec.signerName'], names: 'path-segment' },
  ],
  ['coordination.k8s.io/v1', 'Lease', 'leases', 'Namespaced', plain],
  ['discovery.k8s.io/v1', 'EndpointSlice', 'endpointslices', 'Namespaced', { ...plain, generation: true }],
  ['events.k8s.io/v1', 'Event', 'events', 'Namespaced', { ...plain, shortNames: ['ev'], fields: regardingFields }],
  ['flowcontrol.apiserver.k8s.io/v1', 'FlowSchema', 'flowschemas', 'Cluster', { generation: true }],
  [
    'flowcontrol.apiserver.k8s.io/v1',
    'PriorityLevelConfiguration',
    'prioritylevelconfigurations',
    'Cluster',
    { generation: true },
  ],
  ['networking.k8s.io/v1', 'IngressClass', 'ingressclasses', 'Cluster', { ...plain, generation: true }],
  ['networking.k8s.io/v1', 'Ingress', 'ingresses', 'Namespaced', { generation: true, shortNames: ['ing'] }],
  [
    'networking.k8s.io/v1',
    'NetworkPolicy',
    'networkpolicies',
    'Namespaced',
    { ...plain, generation: true, shortNames: ['netpol'] },
  ],
  [
    'networking.k8s.io/v1',
    'IPAddress',
    'ipaddresses',
    'Cluster',
    { ...plain, shortNames: ['ip'], fields: ['spec.parentRef.name'] },
  ],
  ['networking.k8s.io/v1', 'ServiceCIDR', 'servicecidrs', 'Cluster', {}],
  ['node.k8s.io/v1', 'RuntimeClass', 'runtimeclasses', 'Cluster', plain],
  ['policy/v1', 'PodDisruptionBudget', 'poddisruptionbudgets', 'Namespaced', { generation: true, shortNames: ['pdb'] }],
  ['rbac.authorization.k8s.io/v1', 'ClusterRole', 'clusterroles', 'Cluster', rbac],
  ['rbac.authorization.k8s.io/v1', 'ClusterRoleBinding', 'clusterrolebindings', 'Cluster', rbac],
  ['rbac.authorization.k8s.io/v1', 'Role', 'roles', 'Namespaced', rbac],
  ['rbac.authorization.k8s.io/v1', 'RoleBinding', 'rolebindings', 'Namespaced', rbac],
  ['resource.k8s.io/v1', 'DeviceClass', 'deviceclasses', 'Cluster', { ...plain, generation: true }],
  ['resource.k8s.io/v1', 'ResourceClaim', 'resourceclaims', 'Namespaced', {}],
  ['resource.k8s.io/v1', 'ResourceClaimTemplate', 'resourceclaimtemplates', 'Namespaced', plain],
  [
    'resource.k8s.io/v1',
    'ResourceSlice',
    'resourceslices',
    'Cluster',
    { ...plain, generation: true, fields: ['spec.nodeName', 'spec.driver'] },
  ],
  [
    'scheduling.k8s.io/v1',
    'PriorityClass',
    'priorityclasses',
    'Cluster',
    { ...plain, generation: true, shortNames: ['pc'] },
  ],
  ['storage.k8s.io/v1', 'CSIDriver', 'csidrivers', 'Cluster', plain],
  ['storage.k8s.io/v1', 'CSINode', 'csinodes', 'Cluster', plain],
  ['storage.k8s.io/v1', 'CSIStorageCapacity', 'csistoragecapacities', 'Namespaced', plain],
  ['storage.k8s.io/v1', 'StorageClass', 'storageclasses', 'Cluster', { ...plain, shortNames: ['sc'] }],
  ['storage.k8s.io/v1', 'VolumeAttachment', 'volumeattachments', 'Cluster', {}],
  [
    'storage.k8s.io/v1',
    'VolumeAttributesClass',
    'volumeattributesclasses',
    'Cluster',
    { ...plain, shortNames: ['vac'] },
  ],
];

/** Every kind of current Kubernetes in its stable version. */
export const builtInResources: readonly ServedResource[] = rows.map(([groupVersion, kind, plural, scope, traits]) => {
  const [version = '', group = ''] = groupVersion.split('/').reverse();
  return served({ group, version, kind, plural, namespaced: scope === 'Namespaced' }, traits);
});

/** A resource that the table does not know, from its descriptor: with a status, and a generation. */
export function fromDescriptor({ group, version, plural, namespaced, kind }: Resource<unknown>): ServedResource {
  return served({ group, version, plural, namespaced, kind: kind ?? kindFromPlural(plural) }, { generation: true });
}

function served(descriptor: Required<Omit<Resource<unknown>, 'objectType'>>, traits: Traits = {}): ServedResource {
  const { group, version, plural, namespaced, kind } = descriptor;
  return {
    group,
    version,
    plural,
    namespaced,
    kind,
    singular: kind.toLowerCase(),
    listKind: `${kind}List`,
    shortNames: traits.shortNames ?? [],
    categories: traits.categories ?? [],
    custom: false,
    hasStatus: traits.status ?? true,
    hasGeneration: traits.generation ?? false,
    scale: traits.scale ? { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } : undefined,
    selectableFields: traits.fields ?? [],
    names: traits.names ?? 'subdomain',
    schema: undefined,
    printerColumns: [],
  };
}

function kindFromPlural(plural: string): string {
  const singular = plural
    .replace(/ies$/, 'y')
    .replace(/(s|x|ch|sh)es$/, '$1')
    .replace(/s$/, '');
  return singular.charAt(0).toUpperCase() + singular.slice(1);
}
