import { messageOf, RxInformersError } from '../kubernetes/errors.js';
import { objectKey } from '../kubernetes/keys.js';
import { statedKind, uidOf, withKind } from '../kubernetes/object.js';

/** All errors between a delta and a commit. The commit contains them (G4). */
export type StoreError =
  | RxInformersError<'RXI_KEY'>
  | RxInformersError<'RXI_KEY_COLLISION'>
  | RxInformersError<'RXI_INDEX_FUNCTION'>
  | RxInformersError<'RXI_DERIVED_ROW'>;

export function keyError(object: unknown, cause: unknown): RxInformersError<'RXI_KEY'> {
  const message = `cannot compute the key of ${describeObject(object)}: ${messageOf(cause)}`;
  return new RxInformersError('RXI_KEY', message, { object, cause, expected: false });
}

export function keyCollisionError(
  key: string,
  partitions: readonly [kept: string, refused: string],
): RxInformersError<'RXI_KEY_COLLISION'> {
  const message =
    `${key} exists in partitions ${JSON.stringify(partitions[0])} and ${JSON.stringify(partitions[1])}; ` +
    'use keyOf: partitionedKey() so that their keys differ';
  return new RxInformersError('RXI_KEY_COLLISION', message, { key, partitions, expected: false });
}

export function indexFunctionError(
  index: string,
  key: string,
  cause: unknown,
  kind?: string,
): RxInformersError<'RXI_INDEX_FUNCTION'> {
  const message = `index function ${JSON.stringify(index)} failed for ${withKind(key, kind)}, which is missing from that index: ${messageOf(cause)}`;
  return new RxInformersError('RXI_INDEX_FUNCTION', message, { index, key, cause, expected: false });
}

export function derivedRowError(
  collection: string,
  handler: string,
  keys: readonly string[],
  cause: unknown,
): RxInformersError<'RXI_DERIVED_ROW'> {
  const concerned = keys.length === 0 ? '' : ` for ${keys.join(' and ')}, whose row is absent`;
  return new RxInformersError('RXI_DERIVED_ROW', `${collection}: ${handler} failed${concerned}: ${messageOf(cause)}`, {
    collection,
    handler,
    keys,
    cause,
    expected: false,
  });
}

export function unknownIndexError(index: string, known: readonly string[]): RxInformersError<'RXI_UNKNOWN_INDEX'> {
  const message =
    `there is no index ${JSON.stringify(index)}; ` +
    (known.length > 0 ? `known indexes: ${known.join(', ')}` : 'the collection has no indexes; pass indexers: { … }');
  return new RxInformersError('RXI_UNKNOWN_INDEX', message, { index, known });
}

export function indexerConflictError(
  conflicts: readonly string[],
  message = `these indexes exist already: ${conflicts.join(', ')}; nothing was added`,
): RxInformersError<'RXI_INDEXER_CONFLICT'> {
  return new RxInformersError('RXI_INDEXER_CONFLICT', message, { conflicts });
}

function describeObject(object: unknown): string {
  const uid: unknown = uidOf(object);
  const name = [statedKind(object), objectKey(object)].filter((part) => part !== undefined).join(' ');
  return `${name || 'an object'}${typeof uid === 'string' ? ` (uid ${uid})` : ''}`;
}
