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

/** What the factories put into `metadata`: complete enough for a store, and nothing that was not asked for. */
export interface FactoryMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number;
  readonly creationTimestamp: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly FactoryOwnerReference[];
}

/** As the generated types have it: a field that is there has a value. */
export interface FactoryOwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
}

/** The same in every run: tests compare whole objects. */
const creationTimestamp = '2024-01-01T00:00:00Z';

export function objectMeta(kind: string, options: FactoryOptions, defaultNamespace = ''): FactoryMeta {
  const {
    name,
    namespace = defaultNamespace,
    labels,
    annotations,
    resourceVersion = 1,
    generation,
    finalizers,
    owner,
  } = options;
  return {
    name,
    ...(namespace ? { namespace } : {}),
    uid: options.uid ?? [kind.toLowerCase(), namespace, name].filter(Boolean).join('-'),
    resourceVersion: String(resourceVersion),
    ...(generation === undefined ? {} : { generation }),
    creationTimestamp,
    ...(labels ? { labels } : {}),
    ...(annotations ? { annotations } : {}),
    ...(finalizers ? { finalizers } : {}),
    ...(owner ? { ownerReferences: isList(owner) ? owner.map(ownerReference) : [controllerReference(owner)] } : {}),
  };
}

function isList(owner: OwnerLike | readonly OwnerReference[]): owner is readonly OwnerReference[] {
  return Array.isArray(owner);
}

function ownerReference({ apiVersion, kind, name, uid, controller }: OwnerReference): FactoryOwnerReference {
  return { apiVersion, kind, name, uid, ...(controller === undefined ? {} : { controller }) };
}

function controllerReference({ apiVersion, kind, metadata }: OwnerLike): FactoryOwnerReference {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true };
}
