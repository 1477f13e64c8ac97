import type { ObjectMeta, PartialObjectMetadata } from '../../kubernetes/object.js';
import type { DeleteOptions } from './call-options.js';

/**
 * The replicas of a Deployment or another kind that can be scaled (`autoscaling/v1`), as the
 * subresource `scale` returns them. The metadata is that of the scaled object.
 */
export interface Scale extends PartialObjectMetadata {
  /** The server omits `replicas` if it is 0. */
  readonly spec: { readonly replicas?: number | undefined };
  readonly status?: { readonly replicas: number; readonly selector?: string | undefined } | undefined;
}

/**
 * The request to evict a pod (`policy/v1`), for the subresource `eviction`. Servers before 1.22
 * need the apiVersion `policy/v1beta1`.
 */
export interface Eviction {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  /** The name and the namespace of the pod. */
  readonly metadata: ObjectMeta & { readonly name: string };
  readonly deleteOptions?:
    | Pick<DeleteOptions, 'gracePeriodSeconds' | 'preconditions' | 'propagationPolicy'>
    | undefined;
}

/**
 * The request for a token of a ServiceAccount (`authentication.k8s.io/v1`), and the answer, for the
 * subresource `token`.
 */
export interface TokenRequest {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  /** The name and the namespace of the ServiceAccount. */
  readonly metadata: ObjectMeta & { readonly name: string };
  readonly spec?:
    | {
        /** Who may accept the token. Default: the API server. */
        readonly audiences?: readonly string[] | undefined;
        /** At least 600. The server may return a token that expires at another time. */
        readonly expirationSeconds?: number | undefined;
        /** A Pod, Node or Secret with which the token becomes invalid. */
        readonly boundObjectRef?:
          | {
              readonly apiVersion?: string | undefined;
              readonly kind?: string | undefined;
              readonly name?: string | undefined;
              readonly uid?: string | undefined;
            }
          | undefined;
      }
    | undefined;
}

/** The answer to a {@link TokenRequest}. */
export interface IssuedToken extends TokenRequest {
  readonly status: { readonly token: string; readonly expirationTimestamp: string };
}

/** The apiVersion and kind of the body for subresources that are of another kind. */
export const subresourceKinds: Readonly<Record<string, { readonly apiVersion: string; readonly kind: string }>> = {
  scale: { apiVersion: 'autoscaling/v1', kind: 'Scale' },
  eviction: { apiVersion: 'policy/v1', kind: 'Eviction' },
  token: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest' },
};
