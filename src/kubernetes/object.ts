/** What every object that the Kubernetes API returns has in common, as far as this library reads it. */
export interface KubernetesObject {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata?: ObjectMeta | undefined;
}

/** The part of `metadata` that identity, versions, selectors and owner indexes are read from. */
export interface ObjectMeta {
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly generation?: number | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly finalizers?: readonly string[] | undefined;
  readonly ownerReferences?: readonly OwnerReference[] | undefined;
}

/** An object of any kind of which only the metadata was asked for (`metadataOnly`). */
export interface PartialObjectMetadata {
  /** That of the object's resource; `meta.k8s.io/v1` if the resource's descriptor does not say its kind. */
  readonly apiVersion: string;
  /** The object's kind; `PartialObjectMetadata` if the resource's descriptor does not say it. */
  readonly kind: string;
  readonly metadata: ObjectMeta & {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly creationTimestamp?: string | undefined;
    readonly deletionTimestamp?: string | undefined;
    readonly deletionGracePeriodSeconds?: number | undefined;
    readonly generateName?: string | undefined;
  };
}

/** One entry of `metadata.ownerReferences`. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean | undefined;
}

/**
 * `T` as it comes over the wire and stands in the cache: dates are RFC 3339 strings, nothing may be changed, and what has
 * no type (`any`) has to be examined before it is used (`unknown`).
 *
 * client-node's types say `Date` where the API server sends a string, because its deserialiser turns one into the
 * other; this library hands out the parsed JSON as it is.
 */
export type Raw<T> = 0 extends 1 & T
  ? unknown
  : T extends Date
    ? string
    : T extends (...parameters: never[]) => unknown
      ? T
      : T extends readonly (infer Item)[]
        ? readonly Raw<Item>[]
        : T extends object
          ? { readonly [Key in keyof T]: Raw<T[Key]> }
          : T;

/**
 * An object of a built-in kind as a source emits it: `Raw`, and with the fields that every object from the API server
 * has (`listWatch` stamps `apiVersion` and `kind` on list items, which carry none).
 *
 * The built-in kinds are typed by `@kubernetes/client-node`. Without it they would be `any`, and nothing would be checked; they are a
 * text that says so instead, and using one does not compile. Kinds that you declare yourself do not need it.
 */
export type Live<T extends { metadata?: unknown }> = [unknown] extends [T]
  ? 'install @kubernetes/client-node: it has the types of the built-in kinds'
  : Raw<Omit<T, 'apiVersion' | 'kind' | 'metadata'>> & {
      readonly apiVersion: string;
      readonly kind: string;
      readonly metadata: Raw<NonNullable<T['metadata']>> & {
        readonly name: string;
        readonly uid: string;
        readonly resourceVersion: string;
      };
    };
