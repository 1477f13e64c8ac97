import type { ObjectMeta } from '../../kubernetes/object.js';

/** An object's key (`namespace/name`, or `name` for cluster scope), or the object itself. */
export type Target = string | { readonly metadata?: ObjectMeta | undefined };

/** An object as it is handed in to be created: what the server fills in need not be there. */
export type NewObject<T> = Omit<T, 'apiVersion' | 'kind' | 'metadata' | 'status'> & {
  /** Default: that of the resource. */
  readonly apiVersion?: string | undefined;
  /** Default: that of the resource, where its descriptor says it. */
  readonly kind?: string | undefined;
  readonly metadata: StatedMetadata<T>;
};

/** An object as it is handed in for server-side apply: what the field manager wants to have a say in, and nothing else. */
export type AppliedObject<T> = DeepPartial<Omit<T, 'apiVersion' | 'kind' | 'metadata'>> & {
  /** Default: that of the resource. */
  readonly apiVersion?: string | undefined;
  /** Default: that of the resource, where its descriptor says it. */
  readonly kind?: string | undefined;
  readonly metadata: StatedMetadata<T> & { readonly name: string };
};

/** The metadata that a caller states, in whatever type `T` has it. */
export type StatedMetadata<T> = T extends { readonly metadata?: infer Metadata }
  ? Partial<NonNullable<Metadata>>
  : ObjectMeta;

/** Any part of `T`; the items of arrays may be partial too. */
export type DeepPartial<T> = T extends readonly (infer Item)[]
  ? readonly DeepPartial<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]?: DeepPartial<T[Key]> | undefined }
    : T;
