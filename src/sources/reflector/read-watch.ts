import { concat, defer, from, map, type Observable } from 'rxjs';
import { isRxInformersError } from '../../kubernetes/errors.js';
import { type KubernetesStatus, resourceVersionOf } from '../../kubernetes/object.js';
import type { ResponseHead, ResponsePart } from '../client/kube-client.js';
import { type RequestLine, StatusError, decodingError, responseError } from '../model/errors.js';
import { decodeJson } from '../wire/bytes.js';
import { createTextScanner } from '../wire/choose-scanner.js';
import type { TextScanner } from '../wire/scanner.js';
import { objectReader, type ObjectReader, type ParsedText } from './known-objects.js';
import { createLineSplitter, isLineBreak } from './line-splitter.js';
import { beginningOf, decodeError, isObject, jsonOnly, type ObjectDecoder, stamp } from './object-decoder.js';
import type { DecodedEvent, Reading } from './protocol.js';

/** A mode of deduplication. Bundles of programs without this value do not have its functions. */
export interface Dedup {
  /** The only mode besides `client-go`. */
  readonly name: 'latest-only';
  /**
   * Returns the lines of a read that no later line supersedes; the same array if it drops nothing.
   *
   * @internal
   */
  readonly lines: (lines: readonly Uint8Array[]) => readonly Uint8Array[];
  /**
   * Returns the deltas of a batch that are not superseded; the same array if it drops nothing.
   *
   * @internal
   */
  readonly deltas: (batch: readonly never[]) => readonly unknown[];
}

/** Options for reading a watch. */
export interface WatchReadingOptions {
  /** Drops events that a later event of the same network read supersedes. Default: none. */
  readonly dedup: Dedup | undefined;
  /** True if the watch begins with all existing objects (R23). */
  readonly isStreamingList: boolean;
}

/** Emits the events of a WATCH, one `Reading` per network read, and passes on errors. */
export function readWatch<T>(
  parts: Observable<ResponsePart>,
  request: RequestLine,
  decoder: ObjectDecoder<T>,
  { dedup, isStreamingList }: WatchReadingOptions,
): Observable<Reading<T>> {
  return defer(() => {
    const splitter = createLineSplitter();
    let hadHeartbeat = false;
    const decoding = {
      request,
      scanner: createTextScanner({ omitManagedFields: decoder.omitsManagedFields }),
      reader: objectReader(decoder.knownTexts, decoder.share, { isList: isStreamingList }),
      decoder,
    };
    const read = (part: ResponsePart): Reading<T> => {
      if (part.type === 'head') return isStreamingList ? headOf(part) : { type: 'head' };
      try {
        const lines = splitter.push(part.bytes);
        const events = dedup ? decodeLatestEvents(lines, dedup, decoding) : decodeEvents(lines, decoding);
        const hasHeartbeat = splitter.hasEmptyLines && !hadHeartbeat;
        hadHeartbeat ||= hasHeartbeat;
        const isEmpty = events.length === 0 && part.bytes.every(isLineBreak);
        return {
          type: 'events',
          events,
          ...(isStreamingList && { bytes: isEmpty ? 0 : part.bytes.length }),
          ...(hasHeartbeat && { hasHeartbeat }),
        };
      } catch (error) {
        if (!isRxInformersError(error, 'RXI_WIRE')) throw error;
        return { type: 'events', events: [{ type: 'lost', error: decodeError(request, error) }] };
      }
    };
    const end = (): readonly Reading<T>[] => {
      const rest = splitter.end();
      if (rest === undefined) return [{ type: 'closed' }];
      return isWhole(rest)
        ? [{ type: 'events', events: decodeEvents([rest], decoding) }, { type: 'closed' }]
        : [
            {
              type: 'closed',
              cut: decodingError(request, 'the last line is cut off', beginningOf(rest), rest.length),
            },
          ];
    };
    return concat(
      parts.pipe(jsonOnly(request), map(read)),
      defer(() => from(end())),
    );
  });
}

function headOf({ headers }: ResponseHead): Reading<never> {
  const encoding = headers['content-encoding'] ?? 'identity';
  return { type: 'head', isCompressed: encoding !== 'identity' };
}

function isWhole(line: Uint8Array): boolean {
  try {
    decodeJson(line);
    return true;
  } catch {
    return false;
  }
}

const endOfInitialList = 'k8s.io/initial-events-end';

/** The context for decoding the lines of a watch. */
interface EventDecoding<T> {
  /** The request, for the messages of errors. */
  readonly request: RequestLine;
  readonly scanner: TextScanner;
  /** In a streaming list, each object shares equal parts with the one before, as in pages. */
  readonly reader: ObjectReader<T>;
  readonly decoder: ObjectDecoder<T>;
}

/**
 * Returns the events in the lines, up to the first error, which leads to a list.
 *
 * @param known events of decoded lines; `transform` is not called for them again
 */
function decodeEvents<T>(
  lines: readonly Uint8Array[],
  decoding: EventDecoding<T>,
  known?: ReadonlyMap<Uint8Array, DecodedEvent<T>>,
): readonly DecodedEvent<T>[] {
  const events: DecodedEvent<T>[] = [];
  for (const line of lines) {
    const event = known?.get(line) ?? decodeEvent(line, decoding);
    events.push(event);
    if (event.type === 'error' || event.type === 'lost') break;
  }
  return events;
}

/**
 * Returns the events that no later event of the same object supersedes, without parsing others.
 *
 * If any event fails, all lines are decoded, each once: the failed event may have superseded
 * another one, which the version must not pass undelivered (R12 ▲). After a line that ends the
 * read, failed transforms are still returned, so that each is reported (G4).
 */
function decodeLatestEvents<T>(
  lines: readonly Uint8Array[],
  dedup: Dedup,
  decoding: EventDecoding<T>,
): readonly DecodedEvent<T>[] {
  const latest = dedup.lines(lines);
  const events = decodeEvents(latest, decoding);
  if (latest === lines || !events.some(isFailure)) return events;
  const known = new Map<Uint8Array, DecodedEvent<T>>();
  for (const [position, line] of latest.entries()) {
    const event = events[position];
    if (event !== undefined) known.set(line, event);
  }
  const all = decodeEvents(lines, decoding, known);
  const returned = new Set(all);
  return [...all, ...events.filter((event) => event.type === 'untransformed' && !returned.has(event))];
}

function isFailure<T>({ type }: DecodedEvent<T>): boolean {
  return type === 'error' || type === 'lost' || type === 'untransformed';
}

function decodeEvent<T>(line: Uint8Array, decoding: EventDecoding<T>): DecodedEvent<T> {
  const { request, scanner, reader } = decoding;
  const text = scanner.scan('line', line);
  try {
    const read = reader.read(text, 'line');
    return read.type === 'held' ? knownEvent(reader.pass(read)) : interpret(read, line, decoding);
  } catch (error) {
    if (!isRxInformersError(error, 'RXI_WIRE')) throw error;
    return { type: 'lost', error: decodeError(request, error) };
  }
}

/**
 * Returns the event of a line that was not parsed, because the subscriber already holds this
 * version of the object. Such a line is always an ADDED event of a streaming list.
 */
function knownEvent<T>(object: T): DecodedEvent<T> {
  return { type: 'change', change: 'ADDED', object, resourceVersion: resourceVersionOf(object) ?? '' };
}

function interpret<T>(
  parsed: ParsedText<T>,
  line: Uint8Array,
  { request, reader, decoder }: EventDecoding<T>,
): DecodedEvent<T> {
  const lost = (problem: string): DecodedEvent<T> => ({
    type: 'lost',
    error: responseError(request, problem, beginningOf(line)),
  });
  if (!isObject(parsed.value)) return lost('the line is not a watch event');
  const { type, object } = parsed.value as { readonly type?: unknown; readonly object?: unknown };
  if (!isObject(object)) return lost('the watch event has no object');
  if (type === 'ERROR') {
    return object.kind === 'Status'
      ? { type: 'error', error: new StatusError(request, object as KubernetesStatus) }
      : lost('the ERROR event has no Status');
  }
  if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED' && type !== 'BOOKMARK') {
    return lost(
      `the watch event has the unknown type ${typeof type === 'string' ? JSON.stringify(type) : typeof type}`,
    );
  }
  // R10 ▲: an object of an unexpected kind (such as a Table) is reported, not skipped silently.
  if (object.kind && !decoder.accepts(object.kind)) {
    return lost(`expected ${decoder.kind ?? 'an object'}, received ${object.kind}`);
  }
  const resourceVersion = object.metadata?.resourceVersion;
  if (typeof resourceVersion !== 'string' || resourceVersion === '')
    return lost(`the ${type} event has no resourceVersion`);
  if (type === 'BOOKMARK') {
    const endsInitialList = object.metadata?.annotations?.[endOfInitialList] === 'true';
    if (endsInitialList) reader.endList();
    return { type: 'bookmark', resourceVersion, endsInitialList };
  }
  const whole = stamp(object, decoder.apiVersion, decoder.kind);
  try {
    return { type: 'change', change: type, object: reader.finish(parsed, decoder.transform(whole)), resourceVersion };
  } catch (error) {
    if (isRxInformersError(error, 'RXI_TRANSFORM')) return { type: 'untransformed', change: type, error };
    throw error;
  }
}
