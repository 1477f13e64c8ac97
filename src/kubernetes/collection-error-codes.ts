import type { Reported } from './source-error-codes.js';

/** Errors of stores, informers and derived collections, and of the functions passed to them. */
export interface CollectionErrorFields {
  /**
   * An event handler, or its option `where`, threw. Other handlers, and later events of this
   * handler, are not affected (I7).
   *
   * **What to do**: Correct the handler; `cause` is the error that it threw.
   */
  RXI_HANDLER: Reported & {
    readonly handler: 'onAdd' | 'onUpdate' | 'onDelete' | 'where';
    readonly key: string;
    readonly cause: unknown;
  };

  /**
   * A function of a query, such as the one passed to `select$`, threw. The stream keeps its last
   * value, and the function is called again for the next version.
   *
   * **What to do**: Correct the function; `cause` is the error that it threw.
   */
  RXI_SELECT: Reported & {
    /** The version of the snapshot for which the function threw. */
    readonly version: number;
    readonly cause: unknown;
  };

  /**
   * A promise such as `whenSynced`, `whenObserved` or `until` was rejected, because the informer is
   * not running, or because it stopped before the promise could resolve.
   *
   * **What to do**: Call `connect()` or subscribe first. If the informer was stopped on purpose,
   * ignore the error.
   *
   * **Expected**: during shutdown.
   */
  RXI_NOT_RUNNING: {
    readonly when: 'never-started' | 'stopped-before-synced' | 'stopped-before-observed' | 'stopped-before-met';
  };

  /**
   * Thrown by `useInformer` if no registry is provided.
   *
   * **What to do**: Render the component inside `InformersProvider`, with a `registry`.
   */
  RXI_NO_PROVIDER: {
    /** The plural of the requested resource. */
    readonly resource: string;
  };

  /**
   * A key function, an index function or the function of a derived collection changed the
   * collection whose content was being computed: it added or deleted an object, or called
   * `addIndexers`.
   *
   * **What to do**: Change the collection outside of the function, for example in a subscriber.
   */
  RXI_IMPURE_FUNCTION: {
    /** The method that was called. */
    readonly method: 'apply' | 'addIndexers';
  };

  /**
   * Thrown by `useInformer` if each render creates the functions of its options again, and by a
   * registry after repeated requests with functions that have the same text but are not identical.
   * Each such request would start another cache and another watch.
   *
   * **What to do**: Define the request once, with `defineRequest`, outside of the code that uses
   * it.
   */
  RXI_UNSTABLE_REQUEST: {
    readonly resource: string;
    /** The names of the options whose functions are new in each call. */
    readonly options: readonly string[];
  };

  /**
   * A text is not a Kubernetes quantity.
   *
   * **What to do**: Correct the text; the Kubernetes reference defines the format as
   * [Quantity](https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/).
   * If the text comes from an object that the API server has accepted, the field is not a quantity.
   */
  RXI_INVALID_QUANTITY: { readonly text: unknown };

  /**
   * A subscriber was so slow that more than `maxKeys` keys were pending. Only the stream of this
   * subscriber ends (G11).
   *
   * **What to do**: Subscribe again to start from the current state. Raise the limit, or do the
   * work elsewhere: in a queue or a worker.
   */
  RXI_BUFFER_OVERFLOW: {
    /** The limit that was exceeded. */
    readonly maxKeys: number;
  };

  /**
   * The key function threw, or did not return a non-empty string. The object was not stored (K3).
   *
   * **What to do**: Correct `keyOf`. The other objects are not affected.
   */
  RXI_KEY: Reported & { readonly object: unknown; readonly cause: unknown };

  /**
   * Two partitions have an object with the same key. The store keeps the first one. When its
   * partition deletes it or leaves, the other one takes its place: as an update if it has the same
   * uid, otherwise as a deletion and an addition.
   *
   * **What to do**: Use `keyOf: partitionedKey()`, so that the partition is part of the key.
   */
  RXI_KEY_COLLISION: Reported & {
    readonly key: string;
    readonly partitions: readonly [kept: string, refused: string];
  };

  /**
   * An index function threw, or did not return a string, an array of strings or `undefined` (S7).
   *
   * **What to do**: Correct the function; `key` names the object, which is missing from that index
   * only.
   */
  RXI_INDEX_FUNCTION: Reported & { readonly index: string; readonly key: string; readonly cause: unknown };

  /**
   * A function passed to an operator of `rx-informers/derived` threw, or an object does not have
   * the form that the operator needs. The affected rows are absent; all others are correct. The
   * function is called again when one of the objects changes (J6).
   *
   * **What to do**: Correct the function, or the objects under `keys`; `cause` is the error that it
   * threw.
   */
  RXI_DERIVED_ROW: Reported & {
    /** The name of the derived collection. */
    readonly collection: string;
    /** The name of the parameter or option, such as `select`. */
    readonly handler: string;
    /** The keys of all objects that the function was called with. */
    readonly keys: readonly string[];
    readonly cause: unknown;
  };

  /**
   * Thrown when code reads an index that does not exist (S8).
   *
   * **What to do**: Pass the index in `indexers`, or add it with `addIndexers`. The message lists
   * the indexes that exist.
   */
  RXI_UNKNOWN_INDEX: { readonly index: string; readonly known: readonly string[] };

  /**
   * Thrown by `addIndexers` and by a registry if an index name is already in use. No index was
   * added (S11).
   *
   * **What to do**: Use another name, or use the existing index.
   */
  RXI_INDEXER_CONFLICT: { readonly conflicts: readonly string[] };

  /**
   * The function of `derive` read a collection after it had returned, as in a callback or after an
   * `await`. Such a read is not tracked, so the row would become stale.
   *
   * **What to do**: Read everything before the function returns. If the work is asynchronous,
   * return its inputs as the row, and do the work in a subscriber.
   */
  RXI_LATE_READ: {
    /** The name of the collection, as it was given to `derive`. */
    readonly collection: string;
  };
}
