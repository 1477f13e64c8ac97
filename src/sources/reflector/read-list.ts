import { concat, defer, from, map, type Observable } from 'rxjs';
import { isRxInformersError, type RxInformersError } from '../../kubernetes/errors.js';
import type { KubernetesObject, KubernetesStatus } from '../../kubernetes/object.js';
import type { ResponsePart } from '../client/kube-client.js';
import { StatusError, type RequestLine, type SourceError, responseError } from '../model/errors.js';
import { decodeJson } from '../wire/bytes.js';
import type { ListEnvelope } from '../wire/list-envelope.js';
import { createListReader } from '../wire/list-reader.js';
import type { ScannedText } from '../wire/scanner.js';
import { objectReader, type ObjectReader, type ReadText } from './known-objects.js';
import { beginningOf, decodeError, isObject, jsonOnly, stamp, type ObjectDecoder } from './object-decoder.js';
import type { Reading } from './protocol.js';

/** The bytes of the first read that are kept, for the error if the response is no list. */
const rememberedLength = 4_096;

/**
 * Emits the items of each network read of a LIST, then the end of the page.
 *
 * An item without a kind waits for the kind of the list, or the end of the page. Errors of the
 * exchange are passed on. An item that is not JSON leads to an `RXI_DECODE`, a `Status` to a
 * `StatusError`, any other response that is not a list to an `RXI_RESPONSE`.
 */
export function readList<T>(
  parts: Observable<ResponsePart>,
  request: RequestLine,
  decoder: ObjectDecoder<T>,
): Observable<Reading<T>> {
  return defer(() => {
    const list = createListReader({ omitManagedFields: decoder.omitsManagedFields });
    const reader = objectReader(decoder.knownTexts, decoder.share, { isList: true });
    const untilKindIsKnown: ReadText<T>[] = [];
    let beginning: Uint8Array | undefined;

    const items = (texts: readonly ReadText<T>[], apiVersion: string, kind: string | undefined): Reading<T> => {
      const delivered: T[] = [];
      const failures: RxInformersError<'RXI_TRANSFORM'>[] = [];
      for (const text of texts) {
        if (text.type === 'held') {
          delivered.push(reader.pass(text));
          continue;
        }
        const object = text.value as KubernetesObject;
        try {
          // Equal parts are shared after the transform, because a transform may change its object
          // in place and must not change another object.
          delivered.push(reader.finish(text, decoder.transform(stamp(object, apiVersion, kind))));
        } catch (error) {
          if (!isRxInformersError(error, 'RXI_TRANSFORM')) throw error;
          failures.push(error);
        }
      }
      return { type: 'items', items: delivered, failures };
    };

    let texts: ReadText<T>[] = [];
    const receive = (item: ScannedText): void => {
      texts.push(readItem(reader, item, request));
    };

    /** Returns the items that were received since the last call, or keeps them for the end. */
    const received = (): Reading<T> => {
      const newTexts = texts;
      texts = [];
      const { apiVersion, kind } = decoder;
      const isReady = kind !== undefined || (untilKindIsKnown.length === 0 && newTexts.every(hasKind));
      if (isReady) return items(newTexts, apiVersion, kind);
      untilKindIsKnown.push(...newTexts);
      return items([], apiVersion, undefined);
    };

    const read = (part: ResponsePart): Reading<T> => {
      if (part.type === 'head') return { type: 'head' };
      beginning ??= part.bytes.slice(0, rememberedLength);
      split(() => list.push(part.bytes, receive), request);
      return received();
    };

    const end = (): readonly Reading<T>[] => {
      const envelope = split(() => list.end(receive), request);
      if (!isList(envelope)) throw notAList(envelope, beginning, request);
      const rest = texts.length > 0 ? [received()] : [];
      const pageEnd: Reading<T> = { type: 'page-end', metadata: envelope.metadata };
      if (untilKindIsKnown.length === 0) return [...rest, pageEnd];
      const kind = envelope.kind.replace(/List$/, '');
      return [...rest, items(untilKindIsKnown, envelope.apiVersion || decoder.apiVersion, kind), pageEnd];
    };

    return concat(
      parts.pipe(jsonOnly(request), map(read)),
      defer(() => from(end())),
    );
  });
}

function split<Result>(read: () => Result, request: RequestLine): Result {
  try {
    return read();
  } catch (error) {
    throw isRxInformersError(error, 'RXI_WIRE') ? responseError(request, error.problem, error.line) : error;
  }
}

function readItem<T>(reader: ObjectReader<T>, text: ScannedText, request: RequestLine): ReadText<T> {
  const item = read(reader, text, request);
  if (item.type === 'held' || isObject(item.value)) return item;
  throw responseError(request, 'an item of the list is not an object', beginningOf(text.bytes));
}

function read<T>(reader: ObjectReader<T>, text: ScannedText, request: RequestLine): ReadText<T> {
  try {
    return reader.read(text, 'item');
  } catch (error) {
    throw isRxInformersError(error, 'RXI_WIRE') ? decodeError(request, error) : error;
  }
}

/** Returns true if the kind is known. A held object received it when first delivered. */
function hasKind<T>(item: ReadText<T>): boolean {
  return item.type === 'held' || Boolean((item.value as KubernetesObject).kind);
}

function isList({ kind, hasItems }: ListEnvelope): boolean {
  return hasItems && kind !== 'Table' && kind !== 'Status';
}

function notAList({ kind }: ListEnvelope, beginning: Uint8Array = new Uint8Array(), request: RequestLine): SourceError {
  const status = kind === 'Status' ? statusIn(beginning) : undefined;
  if (status !== undefined) return new StatusError(request, status);
  return responseError(
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
