import { endOfString } from './end-of-string.js';
import { spells } from './omitted-member.js';
import { endOfValue, walkMembers } from './walk-members.js';

/** As far as a line is looked at. API servers name an object within some hundred bytes; custom resources behind its annotations. */
const peekedLength = 4_096;

const quote = 0x22;
const quoted = (text: string): Uint8Array => new TextEncoder().encode(JSON.stringify(text));
const type = quoted('type');
const added = quoted('ADDED');
const modified = quoted('MODIFIED');
const deleted = quoted('DELETED');
const object = quoted('object');
const metadata = quoted('metadata');
const namespace = quoted('namespace');
const name = quoted('name');
const uid = quoted('uid');

/** Gives each byte a character of its own, so two texts are equal where their bytes are. */
const byteForByte = new TextDecoder('latin1');

/** What the beginning of a line tells of the change that it spells. */
export interface PeekedChange {
  readonly type: 'upsert' | 'deletion';
  /** A text that two lines have in common where namespace, name and uid are the same. */
  readonly identity: string;
}

/**
 * Which object a line of a watch adds, modifies or deletes.
 *
 * `undefined` for every other line, and where it cannot be told from the beginning alone: whoever asks must be able to do
 * without. The line is not parsed, so it may still be no JSON.
 *
 * **Does not guarantee**: that a namespace behind the uid is seen. API servers write it before, and no two objects share a uid.
 */
export function peekChange(line: Uint8Array): PeekedChange | undefined {
  const bytes = line.length > peekedLength ? line.subarray(0, peekedLength) : line;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let change: PeekedChange['type'] | undefined;
  let identity: string | undefined;
  walkMembers(bytes, view, 0, (keyStart, _keyEnd, valueStart) => {
    if (spells(bytes, keyStart, type)) {
      change = changeAt(bytes, valueStart);
      if (change === undefined) return -1;
    } else if (spells(bytes, keyStart, object)) {
      identity = peekIdentity(bytes, view, valueStart);
      if (identity === undefined) return -1;
    }
    return change !== undefined && identity !== undefined ? -1 : endOfValue(bytes, view, valueStart);
  });
  return change === undefined || identity === undefined ? undefined : { type: change, identity };
}

function changeAt(bytes: Uint8Array, at: number): PeekedChange['type'] | undefined {
  if (spells(bytes, at, modified) || spells(bytes, at, added)) return 'upsert';
  return spells(bytes, at, deleted) ? 'deletion' : undefined;
}

function peekIdentity(bytes: Uint8Array, view: DataView, from: number): string | undefined {
  let identity: string | undefined;
  walkMembers(bytes, view, from, (keyStart, _keyEnd, valueStart) => {
    if (!spells(bytes, keyStart, metadata)) return endOfValue(bytes, view, valueStart);
    identity = peekMetadata(bytes, view, valueStart);
    return -1;
  });
  return identity;
}

function peekMetadata(bytes: Uint8Array, view: DataView, from: number): string | undefined {
  const seen: { namespace: string | undefined; name?: string | undefined; uid?: string | undefined } = {
    namespace: '',
  };
  walkMembers(bytes, view, from, (keyStart, _keyEnd, valueStart) => {
    if (spells(bytes, keyStart, namespace)) seen.namespace = plainText(bytes, view, valueStart);
    else if (spells(bytes, keyStart, name)) seen.name = plainText(bytes, view, valueStart);
    else if (spells(bytes, keyStart, uid)) seen.uid = plainText(bytes, view, valueStart);
    return seen.name !== undefined && seen.uid !== undefined ? -1 : endOfValue(bytes, view, valueStart);
  });
  if (seen.namespace === undefined || seen.name === undefined || seen.uid === undefined) return undefined;
  // A quote stands in none of the three.
  return `${seen.namespace}"${seen.name}"${seen.uid}`;
}

/** The string that begins at `from`; `undefined` for another value, an empty string, and one that is spelled with escapes. */
function plainText(bytes: Uint8Array, view: DataView, from: number): string | undefined {
  if (bytes[from] !== quote) return undefined;
  const end = endOfString(bytes, view, from + 1);
  if (end >= bytes.length || end === from + 1) return undefined;
  const text = byteForByte.decode(bytes.subarray(from + 1, end));
  return text.includes('\\') ? undefined : text;
}
