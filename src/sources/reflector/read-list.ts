import { concat, defer, from, map, type Observable } from 'rxjs';
import type { KubernetesObject, KubernetesStatus } from '../../kubernetes/object.js';
import type { ResponsePart } from '../client/kube-client.js';
import { ResponseError, StatusError, TransformError, type RequestLine, type SourceError } from '../model/errors.js';
import { decodeJson, WireError } from '../wire/bytes.js';
import type { ScannedText } from '../wire/scanner.js';
import { createListSplitter, type ListEnvelope, type ListEnvelopeMetadata } from '../wire/split-list.js';
import { objectReader, type ObjectReader, type ReadText } from './known-objects.js';
import { beginningOf, decodeError, isGiven, isObject, jsonOnly, stamp, type ObjectDecoder } from './object-decoder.js';
import type { Reading } from './protocol.js';

/** The bytes of the first read that are kept, for the error if the response is no list. */
const rememberedLength = 4_096;

/**
 * Emits the items of each network read of a LIST, then the end of the page.
 *
 * An item without a kind waits for the kind of the list, or the end of the page. Errors of the
 * exchange are passed on. An item that is not JSON leads to a `DecodeError`, a `Status` to a
 * `StatusError`, any other response that is not a list to a `ResponseError`.
 */
export function readList<T>(
  parts: Observable<ResponsePart>,
  request: RequestLine,
  decoder: ObjectDecoder<T>,
): Observable<Reading<T>> {
  return defer(() => {
    const splitter = createListSplitter({ omitManagedFields: decoder.omitsManagedFields });
    const reader = objectReader(decoder.recollection, decoder.share, { isList: true });
    const untilKindIsKnown: ReadText<T>[] = [];
    let beginning: Uint8Array | undefined;

    const items = (
      texts: readonly ReadText<T>[],
      apiVersion: string,
      kind: string | undefined,
      foreign = 0,
    ): Reading<T> => {
      const delivered: T[] = [];
      const failures: TransformError[] = [];
      for (const text of texts) {
        if (text.type === 'held') {
          delivered.push(reader.pass(text));
          continue;
        }
        const object = text.value as KubernetesObject;
        if (decoder.shard?.owns(object) === false) continue;
        try {
          // Equal parts are shared after the transform, because a transform may change its object
          // in place and must not change another object.
          delivered.push(reader.finish(text, decoder.transform(stamp(object, apiVersion, kind))));
        } catch (error) {
          if (!(error instanceof TransformError)) throw error;
          failures.push(error);
        }
      }
      const elsewhere = foreign + texts.length - delivered.length - failures.length;
      return { type: 'items', items: delivered, failures, ...(elsewhere > 0 && { elsewhere }) };
    };

    const read = (part: ResponsePart): Reading<T> => {
      if (part.type === 'head') return { type: 'head' };
      beginning ??= part.bytes.slice(0, rememberedLength);
      const texts: ReadText<T>[] = [];
      let foreign = 0;
      const receive = (item: ScannedText): void => {
        if (decoder.shard?.isForeign(item) === true) foreign++;
        else texts.push(readItem(reader, item, request));
      };
      split(() => splitter.push(part.bytes, receive), request);
      if (decoder.kind !== undefined) return items(texts, decoder.apiVersion, decoder.kind, foreign);
      const isReady = untilKindIsKnown.length === 0 && texts.every(hasKind);
      if (isReady) return items(texts, decoder.apiVersion, undefined, foreign);
      untilKindIsKnown.push(...texts);
      return items([], decoder.apiVersion, undefined, foreign);
    };

    const end = (): readonly Reading<T>[] => {
      const envelope = split(() => splitter.end(), request);
      if (!isList(envelope)) throw notAList(envelope, beginning, request);
      const pageEnd: Reading<T> = { type: 'page-end', metadata: pageMetadata(envelope, decoder) };
      if (untilKindIsKnown.length === 0) return [pageEnd];
      const kind = envelope.kind.replace(/List$/, '');
      return [
        items(untilKindIsKnown, isGiven(envelope.apiVersion) ? envelope.apiVersion : decoder.apiVersion, kind),
        pageEnd,
      ];
    };

    return concat(
      parts.pipe(jsonOnly(request), map(read)),
      defer(() => from(end())),
    );
  });
}

/** Drops `remainingItemCount` with shards, because servers count the objects of all. */
function pageMetadata<T>({ metadata }: ListEnvelope, { shard }: ObjectDecoder<T>): ListEnvelopeMetadata {
  if (shard === undefined) return metadata;
  const { remainingItemCount: _ofAllShards, ...own } = metadata;
  return own;
}

function split<Result>(read: () => Result, request: RequestLine): Result {
  try {
    return read();
  } catch (error) {
    throw error instanceof WireError ? new ResponseError(request, error.problem, error.line) : error;
  }
}

function readItem<T>(reader: ObjectReader<T>, text: ScannedText, request: RequestLine): ReadText<T> {
  const item = read(reader, text, request);
  if (item.type === 'held' || isObject(item.value)) return item;
  throw new ResponseError(request, 'an item of the list is not an object', beginningOf(text.bytes));
}

function read<T>(reader: ObjectReader<T>, text: ScannedText, request: RequestLine): ReadText<T> {
  try {
    return reader.read(text, 'item');
  } catch (error) {
    throw error instanceof WireError ? decodeError(request, error) : error;
  }
}

/** Returns true if the kind is known. A held object received it when first delivered. */
function hasKind<T>(item: ReadText<T>): boolean {
  return item.type === 'held' || isGiven((item.value as KubernetesObject).kind);
}

function isList({ kind, hasItems }: ListEnvelope): boolean {
  return hasItems && kind !== 'Table' && kind !== 'Status';
}

function notAList({ kind }: ListEnvelope, beginning: Uint8Array = new Uint8Array(), request: RequestLine): SourceError {
  const status = kind === 'Status' ? statusIn(beginning) : undefined;
  if (status !== undefined) return new StatusError(request, status);
  return new ResponseError(
    request,
    `expected a list, received ${kind || 'an object without a kind'}`,
    beginningOf(beginning),
  );
}

/**
 * Returns the `Status` in the kept bytes. A `Status` is short. If the kept bytes do not contain a
 * complete `Status`, the response is reported as unexpected.
 */
function statusIn(body: Uint8Array): KubernetesStatus | undefined {
  try {
    return decodeJson(body) as KubernetesStatus;
  } catch {
    return undefined;
  }
}
