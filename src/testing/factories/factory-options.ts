import type { OwnerReference } from '../../kubernetes/object.js';

/** What every factory takes: the parts of `metadata` that a test may want to state. */
export interface FactoryOptions {
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  /** Default: made from namespace and name, so that the same object has the same uid in every test. */
  readonly uid?: string | undefined;
  /** Default `'1'`. */
  readonly resourceVersion?: string | number | undefined;
  readonly generation?: number | undefined;
  readonly finalizers?: readonly string[] | undefined;
  /** The controller that the object belongs to, or all its owner references. */
  readonly owner?: OwnerLike | readonly OwnerReference[] | undefined;
}

/** Any object can own another one. */
export interface OwnerLike {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly uid: string };
}
