/** How one kind of object is addressed at the API server, and the type `T` of its objects. */
export interface Resource<T> {
  /** `''` for the core group. */
  readonly group: string;
  readonly version: string;
  /** The lower-case plural of the URL, for example `pods`. */
  readonly plural: string;
  /** The kind stamped on list items; without it the items' kind is read from the list's own kind (`PodList`). */
  readonly kind?: string;
  readonly namespaced: boolean;
  /** Only in the type system: the objects of this resource. */
  readonly objectType?: T;
}
