import type { EventNames } from './event-name.js';
import type { EventDetails, EventObject } from './event-object.js';
import { InvalidEventDetailsError } from './invalid-event-error.js';
import type { Resource } from '../../kubernetes/resource.js';
import { formatMicroTime } from '../../kubernetes/micro-time.js';
import { referenceOf, type ObjectReference } from './object-reference.js';

/** Who records, and when. */
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

/** An event that the API server accepts; throws an `InvalidEventDetailsError` where none can be made of what was given. */
export function makeEvent(regarding: unknown, details: unknown, origin: EventOrigin): EventObject {
  const refuse = (problem: string): never => {
    throw new InvalidEventDetailsError(regarding, problem);
  };
  const reference = (what: string, value: unknown, resource?: Resource<unknown>): ObjectReference => {
    const found = referenceOf(value, resource);
    return typeof found === 'string' ? refuse(`what it is ${what} cannot be referred to: ${found}`) : found;
  };
  const word = (what: string, value: unknown): string => {
    if (typeof value !== 'string' || value === '') return refuse(`the ${what} is missing`);
    const length = byteLength(value);
    return length <= maxWordLength
      ? value
      : refuse(`the ${what} has ${length} bytes, more than the ${maxWordLength} that the API server takes`);
  };
  if (typeof details !== 'object' || details === null) return refuse('nothing is said about what happened');
  const { type, reason, action, note, related, resource } = details as {
    readonly [Field in keyof EventDetails]: unknown;
  };
  if (type !== 'Normal' && type !== 'Warning') return refuse(`the type is ${String(type)}, not Normal or Warning`);
  if (note !== undefined && typeof note !== 'string') return refuse('the note is no string');

  if (resource !== undefined && !isResource(resource)) return refuse('the resource is no descriptor of a resource');
  const { reportingController, reportingInstance, nameOf, at } = origin;
  const about = reference('about', regarding, resource);
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
    ...(related === undefined ? {} : { related: reference('related to', related) }),
  };
}

function isResource(value: unknown): value is Resource<unknown> {
  const { group, version } = (value ?? {}) as { readonly [Field in keyof Resource<unknown>]?: unknown };
  return typeof group === 'string' && typeof version === 'string';
}

export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** At most 1024 bytes of UTF-8, cut between two characters. */
function shortened(note: string): string {
  if (byteLength(note) <= maxNoteLength) return note;
  const room = new Uint8Array(maxNoteLength - byteLength(ellipsis));
  return note.slice(0, new TextEncoder().encodeInto(note, room).read) + ellipsis;
}
