import { concat, defer, from, map, type Observable } from 'rxjs';
import type { KubernetesObject, KubernetesStatus } from '../../kubernetes/object.js';
import type { ResponsePart } from '../client/kube-client.js';
import { ResponseError, StatusError, TransformError, type RequestLine, type SourceError } from '../model/errors.js';
import { decodeJson, WireError } from '../wire/bytes.js';
import { createListSplitter, type ListEnvelope, type ListEnvelopeMetadata } from '../wire/split-list.js';
import { beginningOf, decodeError, isGiven, isObject, jsonOnly, stamp, type ObjectDecoder } from './object-decoder.js';
import type { Reading } from './protocol.js';

/** How much of the first read is kept, for the case that the answer is no list. */
const rememberedLength = 4_096;

/**
 * What the response to a LIST says: the items of each network read, then the end of the page.
 *
 * An item without a kind whose kind the resource does not tell waits for the end of the page, where the list's own kind is
 * known at the latest. Errors of the exchange are passed on; an item that is not JSON is a `DecodeError`, an answer that is no
 * list a `ResponseError`, or a `StatusError` where it is a `Status`.
 */
export function readList<T>(
  parts: Observable<ResponsePart>,
  request: RequestLine,
  decoder: ObjectDecoder<T>,
): Observable<Reading<T>> {
  return defer(() => {
    const splitter = createListSplitter({ omit: decoder.omit });
    const untilKindIsKnown: KubernetesObject[] = [];
    let beginning: Uint8Array | undefined;
    let neighbour: T | undefined;

    const items = (
      objects: readonly KubernetesObject[],
      apiVersion: string,
      kind: string | undefined,
      foreign = 0,
    ): Reading<T> => {
      const transformed: T[] = [];
      const failures: TransformError[] = [];
      for (const object of objects) {
        if (decoder.shard?.owns(object) === false) continue;
        try {
          const own = decoder.transform(stamp(object, apiVersion, kind));
          // After the transform, which may change its object in place: it must not see what another object holds.
          neighbour = neighbour === undefined ? own : decoder.share(neighbour, own);
          transformed.push(neighbour);
        } catch (error) {
          if (!(error instanceof TransformError)) throw error;
          failures.push(error);
        }
      }
      const elsewhere = foreign + objects.length - transformed.length - failures.length;
      return { type: 'items', items: transformed, failures, ...(elsewhere > 0 && { elsewhere }) };
    };

    const read = (part: ResponsePart): Reading<T> => {
      if (part.type === 'head') return { type: 'head' };
      beginning ??= part.bytes.slice(0, rememberedLength);
      const lines = split(() => splitter.push(part.bytes), request);
      const objects = lines
        .filter((item) => decoder.shard?.isForeignItem(item) !== true)
        .map((item) => decodeItem(item, request));
      const foreign = lines.length - objects.length;
      if (decoder.kind !== undefined) return items(objects, decoder.apiVersion, decoder.kind, foreign);
      const isReady = untilKindIsKnown.length === 0 && objects.every((object) => isGiven(object.kind));
      if (isReady) return items(objects, decoder.apiVersion, undefined, foreign);
      untilKindIsKnown.push(...objects);
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

/** Servers count what remains of all shards: that is not how much is to be expected of this one. */
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

function decodeItem(bytes: Uint8Array, request: RequestLine): KubernetesObject {
  const item = parse(bytes, request);
  if (isObject(item)) return item;
  throw new ResponseError(request, 'a list item that is not an object', beginningOf(bytes));
}

function parse(bytes: Uint8Array, request: RequestLine): unknown {
  try {
    return decodeJson(bytes);
  } catch (error) {
    throw error instanceof WireError ? decodeError(request, error) : error;
  }
}

function isList({ kind, hasItems }: ListEnvelope): boolean {
  return hasItems && kind !== 'Table' && kind !== 'Status';
}

function notAList({ kind }: ListEnvelope, beginning: Uint8Array = new Uint8Array(), request: RequestLine): SourceError {
  const status = kind === 'Status' ? statusIn(beginning) : undefined;
  if (status !== undefined) return new StatusError(request, status);
  return new ResponseError(request, `a list expected, ${kind || 'something else'} received`, beginningOf(beginning));
}

/** A `Status` is short: one that is not whole in what is remembered is reported as an unexpected answer. */
function statusIn(body: Uint8Array): KubernetesStatus | undefined {
  try {
    return decodeJson(body) as KubernetesStatus;
  } catch {
    return undefined;
  }
}
