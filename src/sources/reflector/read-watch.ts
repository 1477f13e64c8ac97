import { concat, defer, from, identity, map, type Observable } from 'rxjs';
import type { KubernetesStatus } from '../../kubernetes/object.js';
import type { ResponsePart } from '../client/kube-client.js';
import { DecodeError, ResponseError, StatusError, TransformError, type RequestLine } from '../model/errors.js';
import { decodeJson, WireError } from '../wire/bytes.js';
import { withoutSuperseded } from '../wire/peek.js';
import { createLineSplitter, decodeEventWithout } from '../wire/split-lines.js';
import { beginningOf, decodeError, isGiven, isObject, jsonOnly, stamp, type ObjectDecoder } from './object-decoder.js';
import type { DecodedEvent, Reading } from './protocol.js';

/** How a watch is read. */
export interface WatchReadingOptions {
  /** Leaves out events that a later one of the same network read supersedes. */
  readonly skipSuperseded: boolean;
  /** Whether the watch begins with everything that exists (R23). */
  readonly isStreamingList: boolean;
}

/** Emits what the response to a WATCH says, one reading for each network read. Passes errors of the exchange on. */
export function readWatch<T>(
  parts: Observable<ResponsePart>,
  request: RequestLine,
  decoder: ObjectDecoder<T>,
  { skipSuperseded, isStreamingList }: WatchReadingOptions,
): Observable<Reading<T>> {
  return defer(() => {
    const splitter = createLineSplitter();
    const parse = decoder.omit === undefined ? decodeJson : decodeEventWithout(decoder.omit);
    const decode = skipSuperseded ? decodeLatestEvents : decodeEvents;
    const share = isStreamingList ? shareInitialEvents(decoder) : identity;
    const events = (lines: readonly Uint8Array[]): Reading<T> => ({
      type: 'events',
      events: share(decode(lines, { request, parse, decoder })),
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
  decoding: EventDecoding<T>,
): readonly DecodedEvent<T>[] {
  const latest = withoutSuperseded(lines);
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
