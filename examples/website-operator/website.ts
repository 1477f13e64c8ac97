import { resource, type ObjectMeta } from 'rx-informers';
import type { Condition } from 'rx-informers/controller';

/**
 * A website: an image that serves it, its replicas, and a Service in front of them.
 * `website-crd.yaml` defines the kind.
 */
export interface Website {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta & {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly deletionTimestamp?: string;
  };
  readonly spec: WebsiteSpec;
  readonly status?: WebsiteStatus;
}

export interface WebsiteSpec {
  readonly image: string;
  /** The number of replicas; default: 1. */
  readonly replicas?: number;
  /** The port on which the image listens; default: 80. */
  readonly port?: number;
}

export interface WebsiteStatus {
  /** The generation of the spec to which the other fields of the status refer. */
  readonly observedGeneration?: number;
  readonly readyReplicas?: number;
  readonly url?: string;
  readonly conditions?: readonly Condition[];
}

export const websites = resource<Website>({
  group: 'example.com',
  version: 'v1',
  plural: 'websites',
  kind: 'Website',
  namespaced: true,
});
