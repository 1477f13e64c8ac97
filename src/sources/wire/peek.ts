import { endOfString, endOfValue, quote, quoted, spells, walkMembers } from './bytes.js';

/** As far as is looked. API servers name an object within some hundred bytes; custom resources behind its annotations. */
const peekedLength = 4_096;

/**
 * Returns a function that finds the values of the members `names` of the object at `path` in some JSON, without parsing it.
 *
 * A member is left out if it is missing, no string, beyond the beginning of the JSON, or written with anything but plain ASCII: the
 * caller has to parse then. The function stops at the last member that it finds, so what follows may still be no JSON.
 */
export function stringPeek<Name extends string>(
  path: readonly string[],
  names: readonly Name[],
): (json: Uint8Array) => Partial<Readonly<Record<Name, string>>> {
  const steps = path.map(quoted);
  const keys = names.map((name) => ({ name, key: quoted(name) }));

  return (json) => {
    const { bytes, view } = beginningOf(json);
    const found: Partial<Record<Name, string>> = {};
    let missing = keys.length;

    const descend = (depth: number, from: number): void => {
      const step = steps[depth];
      if (step === undefined) {
        collect(from);
        return;
      }
      walkMembers(bytes, view, from, (keyStart, _keyEnd, valueStart) => {
        if (!spells(bytes, keyStart, step)) return endOfValue(bytes, view, valueStart);
        descend(depth + 1, valueStart);
        return -1;
      });
    };
    const collect = (from: number): void => {
      walkMembers(bytes, view, from, (keyStart, _keyEnd, valueStart) => {
        const name = keys.find(({ key }) => spells(bytes, keyStart, key))?.name;
        const text = name === undefined ? undefined : textAt(bytes, view, valueStart);
        if (name !== undefined && text !== undefined && ascii.test(text)) {
          found[name] = text;
          missing -= 1;
        }
        return missing === 0 ? -1 : endOfValue(bytes, view, valueStart);
      });
    };
    descend(0, 0);
    return found;
  };
}

/** What the beginning of a line tells about the change in it. */
export interface PeekedChange {
  readonly type: 'upsert' | 'deletion';
  /** Equal for two lines if namespace, name and uid are equal. */
  readonly identity: string;
}

const type = /*#__PURE__*/ quoted('type');
const added = /*#__PURE__*/ quoted('ADDED');
const modified = /*#__PURE__*/ quoted('MODIFIED');
const deleted = /*#__PURE__*/ quoted('DELETED');
const object = /*#__PURE__*/ quoted('object');
const metadata = /*#__PURE__*/ quoted('metadata');
const namespace = /*#__PURE__*/ quoted('namespace');
const name = /*#__PURE__*/ quoted('name');
const uid = /*#__PURE__*/ quoted('uid');

/**
 * Returns which object a line of a watch adds, modifies or deletes.
 *
 * Returns `undefined` for every other line, and if the beginning of the line does not tell. The line is not parsed, so it may still be
 * no JSON.
 *
 * **Does not guarantee**: that a namespace behind the uid is seen. API servers write it before, and no two objects share a uid.
 */
export function peekChange(line: Uint8Array): PeekedChange | undefined {
  const { bytes, view } = beginningOf(line);
  let change: PeekedChange['type'] | undefined;
  let identity: string | undefined;
  walkMembers(bytes, view, 0, (keyStart, _keyEnd, valueStart) => {
    if (spells(bytes, keyStart, type)) {
      change = changeAt(bytes, valueStart);
      if (change === undefined) return -1;
    } else if (spells(bytes, keyStart, object)) {
      identity = identityAt(bytes, view, valueStart);
      if (identity === undefined) return -1;
    }
    return change !== undefined && identity !== undefined ? -1 : endOfValue(bytes, view, valueStart);
  });
  return change === undefined || identity === undefined ? undefined : { type: change, identity };
}

/**
 * Returns the lines of a watch without those that a later one supersedes: an ADDED or MODIFIED before another one of the same object.
 *
 * The later one settles what the object is, whatever stands in between. A DELETED settles less (that of an earlier incarnation is
 * late, and changes nothing), so it supersedes nothing and stays. A line that is no change, or cannot be read, ends the search: it may
 * be the bookmark that completes a streaming list.
 *
 * **Guarantees**: the order is kept; the same array is returned if nothing is dropped; no line is parsed.
 */
export function withoutSuperseded(lines: readonly Uint8Array[]): readonly Uint8Array[] {
  if (lines.length < 2) return lines;
  const settled = new Set<string>();
  const isLatest = (line: Uint8Array): boolean => {
    const change = peekChange(line);
    if (change === undefined) settled.clear();
    if (change?.type !== 'upsert') return true;
    if (settled.has(change.identity)) return false;
    settled.add(change.identity);
    return true;
  };
  const latest = lines.toReversed().filter(isLatest).reverse();
  return latest.length === lines.length ? lines : latest;
}

function changeAt(bytes: Uint8Array, at: number): PeekedChange['type'] | undefined {
  if (spells(bytes, at, modified) || spells(bytes, at, added)) return 'upsert';
  return spells(bytes, at, deleted) ? 'deletion' : undefined;
}

function identityAt(bytes: Uint8Array, view: DataView, from: number): string | undefined {
  let identity: string | undefined;
  walkMembers(bytes, view, from, (keyStart, _keyEnd, valueStart) => {
    if (!spells(bytes, keyStart, metadata)) return endOfValue(bytes, view, valueStart);
    identity = identityIn(bytes, view, valueStart);
    return -1;
  });
  return identity;
}

function identityIn(bytes: Uint8Array, view: DataView, from: number): string | undefined {
  const seen = {
    namespace: '' as string | undefined,
    name: undefined as string | undefined,
    uid: undefined as string | undefined,
  };
  walkMembers(bytes, view, from, (keyStart, _keyEnd, valueStart) => {
    if (spells(bytes, keyStart, namespace)) seen.namespace = textAt(bytes, view, valueStart) || undefined;
    else if (spells(bytes, keyStart, name)) seen.name = textAt(bytes, view, valueStart) || undefined;
    else if (spells(bytes, keyStart, uid)) seen.uid = textAt(bytes, view, valueStart) || undefined;
    return seen.name !== undefined && seen.uid !== undefined ? -1 : endOfValue(bytes, view, valueStart);
  });
  if (seen.namespace === undefined || seen.name === undefined || seen.uid === undefined) return undefined;
  // None of the three contains a quote.
  return `${seen.namespace}"${seen.name}"${seen.uid}`;
}

function beginningOf(json: Uint8Array): { readonly bytes: Uint8Array; readonly view: DataView } {
  const bytes = json.length > peekedLength ? json.subarray(0, peekedLength) : json;
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length) };
}

/** Gives each byte a character of its own, so two texts are equal if their bytes are. */
const byteForByte = /*#__PURE__*/ new TextDecoder('latin1');
const ascii = /^[ -~]*$/;

/** Returns the string that begins at `from`, `undefined` for another value and for a string with escapes. */
function textAt(bytes: Uint8Array, view: DataView, from: number): string | undefined {
  if (bytes[from] !== quote) return undefined;
  const end = endOfString(bytes, view, from + 1);
  if (end >= bytes.length) return undefined;
  const text = byteForByte.decode(bytes.subarray(from + 1, end));
  return text.includes('\\') ? undefined : text;
}
