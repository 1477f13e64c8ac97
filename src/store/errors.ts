import { messageOf, RxInformersError } from '../kubernetes/errors.js';
import { objectKey } from '../kubernetes/keys.js';
import { statedKind, uidOf, withKind } from '../kubernetes/object.js';

/**
 * All errors between a delta and a commit. The commit contains them, so that no error is lost (G4).
 */
export type StoreError = KeyError | KeyCollisionError | IndexFunctionError | DerivedRowError;

/**
 * The key function threw, or did not return a non-empty string. The object was not stored (K3).
 *
 * **What to do**: Correct `keyOf`. The other objects are not affected.
 */
export class KeyError extends RxInformersError {
  static override readonly code = 'RXI_KEY';
  override readonly name = 'KeyError';
  /** Always false: a person should look at this error. */
  readonly expected = false;
  constructor(
    readonly object: unknown,
    override readonly cause: unknown,
  ) {
    super(`cannot compute the key of ${describeObject(object)}: ${messageOf(cause)}`, { cause });
  }
}

/**
 * Two partitions have an object with the same key. The store keeps the first one. When its
 * partition deletes it or leaves, the other one takes its place: as an update if it has the same
 * uid, otherwise as a deletion and an addition.
 *
 * **What to do**: Use `keyOf: partitionedKey()`, so that the partition is part of the key.
 */
export class KeyCollisionError extends RxInformersError {
  static override readonly code = 'RXI_KEY_COLLISION';
  override readonly name = 'KeyCollisionError';
  /** Always false: a person should look at this error. */
  readonly expected = false;
  constructor(
    readonly key: string,
    readonly partitions: readonly [kept: string, refused: string],
  ) {
    super(
      `${key} exists in partitions ${JSON.stringify(partitions[0])} and ${JSON.stringify(partitions[1])}; ` +
        'use keyOf: partitionedKey() so that their keys differ',
    );
  }
}

/**
 * An index function threw, or did not return a string, an array of strings or `undefined` (S7).
 *
 * **What to do**: Correct the function; `key` names the object, which is missing from that index
 * only.
 */
export class IndexFunctionError extends RxInformersError {
  static override readonly code = 'RXI_INDEX_FUNCTION';
  override readonly name = 'IndexFunctionError';
  /** Always false: a person should look at this error. */
  readonly expected = false;
  constructor(
    readonly index: string,
    readonly key: string,
    override readonly cause: unknown,
    /** The kind of the object, for the message. */
    kind?: string,
  ) {
    super(
      `index function ${JSON.stringify(index)} failed for ${withKind(key, kind)}, which is missing from that index: ${messageOf(cause)}`,
      {
        cause,
      },
    );
  }
}

/**
 * A function passed to an operator of `rx-informers/derived` threw, or an object does not have the
 * form that the operator needs. The affected rows are absent; all others are correct. The function
 * is called again when one of the objects changes (J6).
 *
 * **What to do**: Correct the function, or the objects under `keys`; `cause` is the error that it
 * threw.
 */
export class DerivedRowError extends RxInformersError {
  static override readonly code = 'RXI_DERIVED_ROW';
  override readonly name = 'DerivedRowError';
  /** Always false: a person should look at this error. */
  readonly expected = false;
  constructor(
    /** The name of the derived collection. */
    readonly collection: string,
    /** The name of the parameter or option, such as `select`. */
    readonly handler: string,
    /** The keys of all objects that the function was called with. */
    readonly keys: readonly string[],
    override readonly cause: unknown,
  ) {
    const concerned = keys.length === 0 ? '' : ` for ${keys.join(' and ')}, whose row is absent`;
    super(`${collection}: ${handler} failed${concerned}: ${messageOf(cause)}`, { cause });
  }
}

/**
 * Thrown when code reads an index that does not exist (S8).
 *
 * **What to do**: Pass the index in `indexers`, or add it with `addIndexers`. The message lists
 * the indexes that exist.
 */
export class UnknownIndexError extends RxInformersError {
  static override readonly code = 'RXI_UNKNOWN_INDEX';
  override readonly name = 'UnknownIndexError';
  constructor(
    readonly index: string,
    readonly known: readonly string[],
  ) {
    super(
      `there is no index ${JSON.stringify(index)}; ` +
        (known.length > 0
          ? `known indexes: ${known.join(', ')}`
          : 'the collection has no indexes; pass indexers: { … }'),
    );
  }
}

/**
 * Thrown by `addIndexers` and by a registry if an index name is already in use. No index was added
 * (S11).
 *
 * **What to do**: Use another name, or use the existing index.
 */
export class IndexerConflictError extends RxInformersError {
  static override readonly code = 'RXI_INDEXER_CONFLICT';
  override readonly name = 'IndexerConflictError';
  constructor(
    readonly conflicts: readonly string[],
    message = `these indexes exist already: ${conflicts.join(', ')}; nothing was added`,
  ) {
    super(message);
  }
}

function describeObject(object: unknown): string {
  const uid: unknown = uidOf(object);
  const name = [statedKind(object), objectKey(object)].filter((part) => part !== undefined).join(' ');
  return `${name || 'an object'}${typeof uid === 'string' ? ` (uid ${uid})` : ''}`;
}
