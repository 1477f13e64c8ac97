import { concat, defer, from, identity, map, type Observable } from 'rxjs';
import type { KubernetesStatus } from '../../kubernetes/object.js';
import type { ResponsePart } from '../client/kube-client.js';
import { DecodeError, ResponseError, StatusError, TransformError, type RequestLine } from '../model/errors.js';
import {
  createByteAccumulator,
  createShortener,
  decodeJson,
  endOfValue,
  quoted,
  spanOfMember,
  spells,
  walkMembers,
  WireError,
  wireError,
  type MemberPath,
  type Span,
} from '../wire/bytes.js';
import { beginningOf, decodeError, isGiven, isObject, jsonOnly, stamp, type ObjectDecoder } from './object-decoder.js';
import type { DecodedEvent, Reading } from './protocol.js';

/** Chooses the lines of a network read that are delivered. */
export interface LineDedup {
  /** Returns the lines, in their order, without those that a later one supersedes; the same array if there are none. */
  readonly lines: (lines: readonly Uint8Array[]) => readonly Uint8Array[];
}

/** How a watch is read. */
export interface WatchReadingOptions {
  /** Leaves out events that a later one of the same network read supersedes. Default: none is left out. */
  readonly dedup: LineDedup | undefined;
  /** Whether the watch begins with everything that exists (R23). */
  readonly isStreamingList: boolean;
}

/** Emits what the response to a WATCH says, one reading for each network read. Passes errors of the exchange on. */
export function readWatch<T>(
  parts: Observable<ResponsePart>,
  request: RequestLine,
  decoder: ObjectDecoder<T>,
  { dedup, isStreamingList }: WatchReadingOptions,
): Observable<Reading<T>> {
  return defer(() => {
    const splitter = createLineSplitter();
    const parse = decoder.omit === undefined ? decodeJson : decodeEventWithout(decoder.omit);
    const share = isStreamingList ? shareInitialEvents(decoder) : identity;
    const events = (lines: readonly Uint8Array[]): Reading<T> => ({
      type: 'events',
      events: share(
        dedup
          ? decodeLatestEvents(lines, dedup, { request, parse, decoder })
          : decodeEvents(lines, { request, parse, decoder }),
      ),
    });
    const read = (part: ResponsePart): Reading<T> => {
      if (part.type === 'head') return { type: 'head' };
      try {
        return events(splitter.push(part.bytes));
      } catch (error) {
        if (!(error instanceof WireError)) throw error;
        return { type: 'events', events: [{ type: 'lost', error: decodeError(request, error) }] };
      }
    };
    const end = (): readonly Reading<T>[] => {
      const rest = splitter.end();
      if (rest === undefined) return [{ type: 'closed' }];
      return isWhole(rest)
        ? [events([rest]), { type: 'closed' }]
        : [
            {
              type: 'closed',
              cut: new DecodeError(request, 'the last line is cut off', beginningOf(rest), rest.length),
            },
          ];
    };
    return concat(
      parts.pipe(jsonOnly(request), map(read)),
      defer(() => from(end())),
    );
  });
}

function isWhole(line: Uint8Array): boolean {
  try {
    decodeJson(line);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns a function that lets each object of a streaming list take over what equals the object before it, as the items of a paged
 * list do. It is called with the events of one read after the other, and ends with the list: later objects share with what they
 * replace, which only the store knows.
 */
export function shareInitialEvents<T>({
  share: shareWith,
}: Pick<ObjectDecoder<T>, 'share'>): (events: readonly DecodedEvent<T>[]) => readonly DecodedEvent<T>[] {
  let isListing = true;
  let neighbour: T | undefined;

  const share = (event: DecodedEvent<T>): DecodedEvent<T> => {
    if (event.type === 'bookmark' && event.endsInitialList) {
      isListing = false;
      neighbour = undefined;
    }
    if (!isListing || event.type !== 'change' || event.change !== 'ADDED') return event;
    neighbour = neighbour === undefined ? event.object : shareWith(neighbour, event.object);
    return { ...event, object: neighbour };
  };

  return (events) => (isListing ? events.map(share) : events);
}

const endOfInitialList = 'k8s.io/initial-events-end';

/** What lines of a watch are read with. */
export interface EventDecoding<T> {
  /** For the messages of errors. */
  readonly request: RequestLine;
  /** The JSON value of a line; throws a `WireError`. */
  readonly parse: (line: Uint8Array) => unknown;
  readonly decoder: ObjectDecoder<T>;
}

/**
 * Returns the events that lines of a watch spell, up to the first that is an error: what follows it is superseded by the list
 * that it leads to.
 *
 * @param known events of lines that were decoded before; `transform` is not called for them again
 */
export function decodeEvents<T>(
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
 * Returns the same, without events that a later one of the same object makes void; those are not even parsed.
 *
 * If anything fails, the other lines are decoded as well: what should have superseded an event may be what could not be
 * delivered, and then the version would move past an event that was not delivered (R12 ▲). Each line is decoded once. If a line
 * found so ends the read, transforms that failed behind it are still returned, so that each failure is reported (G4).
 */
export function decodeLatestEvents<T>(
  lines: readonly Uint8Array[],
  dedup: LineDedup,
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

function decodeEvent<T>(line: Uint8Array, { request, parse, decoder }: EventDecoding<T>): DecodedEvent<T> {
  const foreign = decoder.shard?.foreignChange(line);
  if (foreign !== undefined) return { type: 'elsewhere', ...foreign };
  try {
    return interpret(parse(line), line, request, decoder);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return { type: 'lost', error: decodeError(request, error) };
  }
}

function interpret<T>(
  value: unknown,
  line: Uint8Array,
  request: RequestLine,
  decoder: ObjectDecoder<T>,
): DecodedEvent<T> {
  const lost = (problem: string): DecodedEvent<T> => ({
    type: 'lost',
    error: new ResponseError(request, problem, beginningOf(line)),
  });
  if (!isObject(value)) return lost('not a watch event');
  const { type, object } = value as { readonly type?: unknown; readonly object?: unknown };
  if (!isObject(object)) return lost('a watch event without an object');
  if (type === 'ERROR') {
    return object.kind === 'Status'
      ? { type: 'error', error: new StatusError(request, object as KubernetesStatus) }
      : lost('an ERROR event without a Status');
  }
  if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED' && type !== 'BOOKMARK') {
    return lost(`unknown event type ${typeof type === 'string' ? JSON.stringify(type) : typeof type}`);
  }
  // R10 ▲: something else than what was asked for (a Table, another kind) is no reason to skip it and go on silently.
  if (isGiven(object.kind) && !decoder.accepts(object.kind)) {
    return lost(`${decoder.kind ?? 'an object'} expected, ${object.kind} received`);
  }
  const resourceVersion = object.metadata?.resourceVersion;
  if (typeof resourceVersion !== 'string' || resourceVersion === '') return lost(`${type} without a resourceVersion`);
  if (type === 'BOOKMARK') {
    const endsInitialList = object.metadata?.annotations?.[endOfInitialList] === 'true';
    return { type: 'bookmark', resourceVersion, endsInitialList };
  }
  if (decoder.shard?.owns(object) === false) return { type: 'elsewhere', change: type, resourceVersion };
  const whole = stamp(object, decoder.apiVersion, decoder.kind);
  try {
    return { type: 'change', change: type, object: decoder.transform(whole), resourceVersion };
  } catch (error) {
    if (error instanceof TransformError) return { type: 'untransformed', change: type, error };
    throw error;
  }
}

export interface LineSplitterOptions {
  /**
   * The longest line in bytes, without its newline; default 64 MiB. It bounds what one broken connection can make this
   * process hold; the API server's own limit for an object is a few MiB.
   */
  readonly maxLineLength?: number | undefined;
}

/** Cuts a stream of bytes into lines. */
export interface LineSplitter {
  /**
   * Returns the lines that `bytes` complete, without `\n` or `\r\n`, in order; empty lines are dropped.
   *
   * A line that lies in one chunk is a view into `bytes`, and so valid as long as the chunk is.
   *
   * @throws WireError for a line that is too long, once; the lines completed by the same call come with the next one
   */
  push(bytes: Uint8Array): readonly Uint8Array[];
  /** Returns the rest that no newline ended, if there is any. */
  end(): Uint8Array | undefined;
}

const newline = 0x0a;
const carriageReturn = 0x0d;

/**
 * Creates a splitter for newline-delimited JSON, as a watch sends it.
 *
 * **Guarantees**: linear in the bytes, for a line of any length in chunks of any size; after a line that is too long it
 * goes on with the next one.
 */
export function createLineSplitter({ maxLineLength = 64 * 1024 * 1024 }: LineSplitterOptions = {}): LineSplitter {
  const partial = createByteAccumulator();
  let lines: Uint8Array[] = [];
  let tooLong: WireError | undefined;
  let skipping = false;

  function keep(line: Uint8Array): void {
    const length = line.length - (line[line.length - 1] === carriageReturn ? 1 : 0);
    if (length > 0) {
      lines.push(length === line.length ? line : line.subarray(0, length));
    }
  }

  function fits(piece: Uint8Array): boolean {
    const length = partial.length + piece.length;
    if (length <= maxLineLength) return true;
    const beginning = partial.length > 0 ? partial.peek() : piece;
    tooLong ??= wireError(`a line is longer than ${maxLineLength} bytes`, beginning, length);
    partial.clear();
    return false;
  }

  function complete(piece: Uint8Array): void {
    if (skipping) {
      skipping = false;
      return;
    }
    if (!fits(piece)) return;
    if (partial.length === 0) return keep(piece);
    partial.append(piece);
    keep(partial.take());
  }

  function continueLine(piece: Uint8Array): void {
    if (skipping || piece.length === 0) return;
    if (fits(piece)) {
      partial.append(piece);
    } else {
      skipping = true;
    }
  }

  return {
    push(bytes) {
      let start = 0;
      for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, start)) {
        complete(bytes.subarray(start, at));
        start = at + 1;
      }
      continueLine(start === 0 ? bytes : bytes.subarray(start));
      if (tooLong !== undefined) {
        const error = tooLong;
        tooLong = undefined;
        throw error;
      }
      const completed = lines;
      lines = [];
      return completed;
    },
    end() {
      skipping = false;
      return partial.length === 0 ? undefined : partial.take();
    },
  };
}

const object = /*#__PURE__*/ quoted('object');

/**
 * Returns a function that decodes lines of a watch, as `decodeJson` does, but without the member at `path` of their `object`.
 *
 * Finding where a third of a line begins and ends costs half of what parsing it would, and what was never parsed need not be
 * collected.
 *
 * **Guarantees**: nothing else is left out; errors show the line as it came.
 * **Does not guarantee**: that the member is left out if one of its keys stands twice or is written with escapes, or if its value is
 * neither object nor array; that what is wrong within it is noticed, as long as its brackets match.
 */
export function decodeEventWithout(path: MemberPath): (line: Uint8Array) => unknown {
  const find = memberFinder(path);
  const shortener = createShortener();
  return (line) => {
    const span = find(line);
    if (span === undefined) return decodeJson(line);
    shortener.reset(line.length);
    try {
      return decodeJson(shortener.copyWithout(line, span));
    } catch {
      return decodeJson(line);
    }
  };
}

function memberFinder([outerName, innerName]: MemberPath): (line: Uint8Array) => Span | undefined {
  const outer = quoted(outerName);
  const inner = quoted(innerName);
  return (line) => {
    const view = new DataView(line.buffer, line.byteOffset, line.length);
    let span: Span | undefined;

    const visitOuter = (keyStart: number, keyEnd: number, valueStart: number): number => {
      if (!spells(line, keyStart, inner)) return endOfValue(line, view, valueStart);
      span = spanOfMember(line, view, keyStart, keyEnd);
      return -1;
    };
    const visitObject = (keyStart: number, _keyEnd: number, valueStart: number): number => {
      if (!spells(line, keyStart, outer)) return endOfValue(line, view, valueStart);
      walkMembers(line, view, valueStart, visitOuter);
      return -1;
    };
    walkMembers(line, view, 0, (keyStart, _keyEnd, valueStart) => {
      if (!spells(line, keyStart, object)) return endOfValue(line, view, valueStart);
      walkMembers(line, view, valueStart, visitObject);
      return -1;
    });
    return span;
  };
}
