import type { OwnerReference } from '../../kubernetes/object.js';

/** The options of all factories: the parts of `metadata` that a test may set. */
export interface FactoryOptions {
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  /** Default: derived from namespace and name, so equal in every test. */
  readonly uid?: string | undefined;
  /** The resourceVersion. Default `'1'`. */
  readonly resourceVersion?: string | number | undefined;
  readonly generation?: number | undefined;
  readonly finalizers?: readonly string[] | undefined;
  /** The object's controller, or all its owner references. */
  readonly owner?: OwnerLike | readonly OwnerReference[] | undefined;
}

/** The owner of an object. Any object can be an owner. */
export interface OwnerLike {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly uid: string };
}

/** The `metadata` of the factories: all that a store needs, no other optional fields. */
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

/** In the form of the generated types: fields are omitted rather than `undefined`. */
export interface FactoryOwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
}

/** The same time in every run, because tests compare whole objects. */
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
