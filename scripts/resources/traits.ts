import type { ClientNodeKind } from './kinds.js';

/**
 * What the embedded API server must know about a kind beyond its paths and types. An omitted trait
 * is empty or false.
 */
interface Traits {
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** True if `metadata.generation` counts changes of the spec. */
  readonly hasGeneration?: boolean;
  /**
   * Fields that field selectors may name, in addition to `metadata.name` and `metadata.namespace`.
   */
  readonly selectableFields?: readonly string[];
  /** The characters that a name may contain; default: those of a DNS subdomain. */
  readonly names?: 'path-segment';
}

/**
 * The traits that client-node's code does not contain, by resource. Short names and categories come
 * from `kubectl api-resources`. The other traits come from the strategies of kube-apiserver. A kind
 * without traits needs no entry.
 */
export const traits: Readonly<Record<string, Traits>> = {
  configmaps: { shortNames: ['cm'] },
  endpoints: { shortNames: ['ep'] },
  events: {
    shortNames: ['ev'],
    selectableFields: [
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
    ],
  },
  limitranges: { shortNames: ['limits'] },
  namespaces: { shortNames: ['ns'], selectableFields: ['status.phase'] },
  nodes: { shortNames: ['no'], selectableFields: ['spec.unschedulable'] },
  persistentvolumeclaims: { shortNames: ['pvc'] },
  persistentvolumes: { shortNames: ['pv'] },
  pods: {
    shortNames: ['po'],
    categories: ['all'],
    hasGeneration: true,
    selectableFields: [
      'spec.nodeName',
      'spec.restartPolicy',
      'spec.schedulerName',
      'spec.serviceAccountName',
      'spec.hostNetwork',
      'status.phase',
      'status.podIP',
      'status.podIPs',
      'status.nominatedNodeName',
    ],
  },
  podtemplates: { hasGeneration: true },
  replicationcontrollers: {
    shortNames: ['rc'],
    categories: ['all'],
    hasGeneration: true,
    selectableFields: ['status.replicas'],
  },
  resourcequotas: { shortNames: ['quota'] },
  secrets: { selectableFields: ['type'] },
  serviceaccounts: { shortNames: ['sa'] },
  services: { shortNames: ['svc'], categories: ['all'], selectableFields: ['spec.clusterIP', 'spec.type'] },
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': { categories: ['api-extensions'], hasGeneration: true },
  'validatingwebhookconfigurations.admissionregistration.k8s.io': {
    categories: ['api-extensions'],
    hasGeneration: true,
  },
  'validatingadmissionpolicies.admissionregistration.k8s.io': { categories: ['api-extensions'], hasGeneration: true },
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': {
    categories: ['api-extensions'],
    hasGeneration: true,
  },
  'mutatingadmissionpolicies.admissionregistration.k8s.io': { categories: ['api-extensions'], hasGeneration: true },
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': {
    categories: ['api-extensions'],
    hasGeneration: true,
  },
  'customresourcedefinitions.apiextensions.k8s.io': {
    shortNames: ['crd', 'crds'],
    categories: ['api-extensions'],
    hasGeneration: true,
  },
  'apiservices.apiregistration.k8s.io': { categories: ['api-extensions'], hasGeneration: true },
  'daemonsets.apps': { shortNames: ['ds'], categories: ['all'], hasGeneration: true },
  'deployments.apps': { shortNames: ['deploy'], categories: ['all'], hasGeneration: true },
  'replicasets.apps': {
    shortNames: ['rs'],
    categories: ['all'],
    hasGeneration: true,
    selectableFields: ['status.replicas'],
  },
  'statefulsets.apps': { shortNames: ['sts'], categories: ['all'], hasGeneration: true },
  'horizontalpodautoscalers.autoscaling': { shortNames: ['hpa'], categories: ['all'] },
  'cronjobs.batch': { shortNames: ['cj'], categories: ['all'], hasGeneration: true },
  'jobs.batch': { categories: ['all'], hasGeneration: true, selectableFields: ['status.successful'] },
  'certificatesigningrequests.certificates.k8s.io': {
    shortNames: ['csr'],
    selectableFields: ['spec.signerName'],
    names: 'path-segment',
  },
  'endpointslices.discovery.k8s.io': { hasGeneration: true },
  'events.events.k8s.io': {
    shortNames: ['ev'],
    selectableFields: [
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
    ],
  },
  'flowschemas.flowcontrol.apiserver.k8s.io': { hasGeneration: true },
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': { hasGeneration: true },
  'ingressclasses.networking.k8s.io': { hasGeneration: true },
  'ingresses.networking.k8s.io': { shortNames: ['ing'], hasGeneration: true },
  'networkpolicies.networking.k8s.io': { shortNames: ['netpol'], hasGeneration: true },
  'ipaddresses.networking.k8s.io': { shortNames: ['ip'], selectableFields: ['spec.parentRef.name'] },
  'poddisruptionbudgets.policy': { shortNames: ['pdb'], hasGeneration: true },
  'clusterroles.rbac.authorization.k8s.io': { names: 'path-segment' },
  'clusterrolebindings.rbac.authorization.k8s.io': { names: 'path-segment' },
  'roles.rbac.authorization.k8s.io': { names: 'path-segment' },
  'rolebindings.rbac.authorization.k8s.io': { names: 'path-segment' },
  'deviceclasses.resource.k8s.io': { hasGeneration: true },
  'resourceslices.resource.k8s.io': { hasGeneration: true, selectableFields: ['spec.nodeName', 'spec.driver'] },
  'priorityclasses.scheduling.k8s.io': { shortNames: ['pc'], hasGeneration: true },
  'storageclasses.storage.k8s.io': { shortNames: ['sc'] },
  'volumeattributesclasses.storage.k8s.io': { shortNames: ['vac'] },
};

/**
 * Kinds of Kubernetes 1.36 that the installed client-node does not know in this version. The
 * embedded API server serves them without the fields of their objects. Remove an entry once
 * client-node has the kind.
 */
export const newerKinds: readonly Omit<ClientNodeKind, 'type'>[] = [
  newerKind('MutatingAdmissionPolicy', 'mutatingadmissionpolicies'),
  newerKind('MutatingAdmissionPolicyBinding', 'mutatingadmissionpolicybindings'),
];

function newerKind(kind: string, plural: string): Omit<ClientNodeKind, 'type'> {
  const group = 'admissionregistration.k8s.io';
  return { group, version: 'v1', plural, kind, namespaced: false, subresources: new Set() };
}
