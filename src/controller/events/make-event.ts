import { isDnsSubdomain, formatMicroTime } from '../../kubernetes/object.js';
import type { Resource } from '../../kubernetes/resource.js';
import { type EventDetails, type EventObject, referenceOf, type ObjectReference } from './event-object.js';
import { invalidEventDetailsError } from './recording-outcome.js';

/** The fields of an event that come from the recorder, and the time of day. */
export interface EventOrigin {
  readonly reportingController: string;
  readonly reportingInstance: string;
  readonly nameOf: EventNames;
  readonly at: number;
}

/** The API server's limits, in bytes (ActionLengthLimit, ReasonLengthLimit, NoteLengthLimit). */
const maxWordLength = 128;
const maxNoteLength = 1024;
const ellipsis = '…';

/** Returns an event that the API server accepts, or throws an `RXI_INVALID_EVENT_DETAILS`. */
export function makeEvent(regarding: unknown, details: unknown, origin: EventOrigin): EventObject {
  const refuse = (problem: string): never => {
    throw invalidEventDetailsError(regarding, problem);
  };
  const reference = (what: string, value: unknown, resource?: Resource<unknown>): ObjectReference => {
    const found = referenceOf(value, resource);
    return typeof found === 'string' ? refuse(`the ${what} object cannot be referenced: ${found}`) : found;
  };
  const word = (what: string, value: unknown): string => {
    if (typeof value !== 'string' || value === '') return refuse(`${what} is missing`);
    const length = byteLength(value);
    return length <= maxWordLength ? value : refuse(`${what} must have at most ${maxWordLength} bytes, not ${length}`);
  };
  if (typeof details !== 'object' || details === null)
    return refuse('the details are missing; pass { type, reason, action, note }');
  const { type, reason, action, note, related, resource } = details as {
    readonly [Field in keyof EventDetails]: unknown;
  };
  if (type !== 'Normal' && type !== 'Warning') return refuse(`type must be Normal or Warning, not ${String(type)}`);
  if (note !== undefined && typeof note !== 'string') return refuse('note must be a string');

  if (resource !== undefined && !isResource(resource))
    return refuse('resource must be a resource descriptor, such as deployments');
  const { reportingController, reportingInstance, nameOf, at } = origin;
  const about = reference('regarding', regarding, resource);
  return {
    metadata: { namespace: about.namespace ?? 'default', name: nameOf(about.name, at) },
    eventTime: formatMicroTime(at),
    reportingController,
    reportingInstance,
    type,
    reason: word('reason', reason),
    action: word('action', action),
    regarding: about,
    ...(note === undefined ? {} : { note: shortened(note) }),
    ...(related === undefined ? {} : { related: reference('related', related) }),
  };
}

function isResource(value: unknown): value is Resource<unknown> {
  const { group, version } = (value ?? {}) as { readonly [Field in keyof Resource<unknown>]?: unknown };
  return typeof group === 'string' && typeof version === 'string';
}

export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Returns at most 1024 bytes of UTF-8, cut between two characters. */
function shortened(note: string): string {
  if (byteLength(note) <= maxNoteLength) return note;
  const room = new Uint8Array(maxNoteLength - byteLength(ellipsis));
  return note.slice(0, new TextEncoder().encodeInto(note, room).read) + ellipsis;
}

/** Returns the name of an event; no two names of one recorder are equal. */
type EventNames = (regarding: string, at: number) => string;

const nanosecondsPerMillisecond = 1_000_000n;

/**
 * Returns names as client-go makes them, `<object>.<nanoseconds in hexadecimal>`, or a UUID if that
 * is not valid (E1). Digits below the clock's milliseconds are random, so that replicas differ.
 * Within one recorder, each name is greater than the previous one.
 */
export function eventNames(random: () => number): EventNames {
  let last = 0n;
  return (regarding, at) => {
    const fraction = BigInt(Math.floor(random() * Number(nanosecondsPerMillisecond)));
    const nanoseconds = BigInt(Math.floor(at)) * nanosecondsPerMillisecond + fraction;
    last = nanoseconds > last ? nanoseconds : last + 1n;
    const name = `${regarding}.${last.toString(16)}`;
    return isDnsSubdomain(name) ? name : randomUuid(random);
  };
}

function randomUuid(random: () => number): string {
  const digits = (count: number): string =>
    Math.floor(random() * 16 ** count)
      .toString(16)
      .padStart(count, '0');
  const variant = '89ab'.charAt(Math.floor(random() * 4));
  return `${digits(8)}-${digits(4)}-4${digits(3)}-${variant}${digits(3)}-${digits(12)}`;
}
