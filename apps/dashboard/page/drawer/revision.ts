import type { KubernetesObject } from 'rx-informers';
import type { ControllerRevision } from 'rx-informers/resources';
import { metaNamespaceKey } from 'rx-informers/store';
import { shortImage } from '../workloads/workload-node.js';

/** One recorded pod template of a workload. */
export interface TemplateRevision {
  readonly uid: string;
  readonly key: string;
  readonly number: number;
  readonly createdAt: string | undefined;
  /** The images of its containers, shortened: `web:1.4`. */
  readonly images: string;
  /** The pod template, without the parts that differ in each revision by themselves. */
  readonly template: unknown;
}

interface PodTemplate {
  readonly metadata?: { readonly labels?: Readonly<Record<string, string>> };
  readonly spec?: { readonly containers?: readonly { readonly image?: string }[] };
}

interface Revised {
  readonly metadata?: {
    readonly annotations?: Readonly<Record<string, string>>;
    readonly creationTimestamp?: string;
  };
  readonly spec?: { readonly template?: PodTemplate };
}

/** Returns the revision that a ReplicaSet or a ControllerRevision records. */
export function revisionIn(object: KubernetesObject): TemplateRevision {
  const { metadata, spec } = object as Revised;
  const { revision, data } = object as unknown as Partial<ControllerRevision>;
  const template = spec?.template ?? (data as Revised | undefined)?.spec?.template ?? {};
  const { 'pod-template-hash': _, ...labels } = template.metadata?.labels ?? {};
  const { $patch: __, ...content } = template as PodTemplate & { readonly $patch?: string };
  return {
    uid: object.metadata?.uid ?? '',
    key: metaNamespaceKey(object),
    number: revision ?? (Number(metadata?.annotations?.['deployment.kubernetes.io/revision'] ?? 0) || 0),
    createdAt: metadata?.creationTimestamp,
    images: (template.spec?.containers ?? []).map(({ image = '' }) => shortImage(image)).join(', '),
    template: { ...content, metadata: { ...template.metadata, labels } },
  };
}

/** Returns whether an object with this uid owns another object. */
export function isOwnedBy({ metadata }: KubernetesObject, uid: string | undefined): boolean {
  return metadata?.ownerReferences?.some((owner) => owner.uid === uid) === true;
}
