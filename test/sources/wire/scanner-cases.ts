import type { MetadataField, TextKind } from '../../../src/sources/wire/scanner.js';

/*
 * Texts for scanners, made from a seed. A million of them are compared. fast-check's own
 * arbitraries would take longer for one text than the comparison.
 */

/** One text, and facts about it that are known before it is scanned. */
export interface ScannerCase {
  readonly kind: TextKind;
  readonly bytes: Uint8Array;
  /**
   * True if the text is regular: it is valid JSON, each key that the scanner looks for appears
   * once, and no key on the path to it is written with an escape.
   */
  readonly isPlain: boolean;
  /** The fields whose values are plain ASCII without escapes, if the text is plain. */
  readonly fields: Readonly<Partial<Record<MetadataField, string>>>;
  /** The bytes of `spec`. */
  readonly spec: string | undefined;
}

/** Returns an integer from 0 to `below` - 1. */
export type Random = (below: number) => number;

/** Returns a generator by the Mulberry32 algorithm, which is small, fast, and good enough here. */
export function randomFrom(seed: number): Random {
  let state = seed | 0;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((((mixed ^ (mixed >>> 14)) >>> 0) * below) / 0x1_0000_0000) | 0;
  };
}

const utf8 = new TextEncoder();
const fieldNames: readonly MetadataField[] = ['name', 'namespace', 'uid', 'resourceVersion'];
const soup = ['{', '}', '[', ']', ',', ':', '\\\\', '\\"', '\\u005c', '\\ud834\\udd1e', '\\n', 'é', '𝄞', 'a', '/', ' '];
/** Names that a scanner could mistake for the names that it looks for. */
const decoys = [
  'a',
  'é',
  'names',
  'metadat',
  'managedFieldsX',
  'status',
  'kind',
  '__proto__',
  'uidx',
  'specs',
  'types',
];
const spaces = [' ', '\t', '\n', '\r\n  '];
const damage = ['{', '}', '[', ']', '"', '\\', ',', ':', ' ', '\u0001', 'x', '0', ',"a":1', '{}', '"metadata":', '\0'];

/** Returns the next case. Three of ten cases are damaged. */
export function nextCase(random: Random): ScannerCase {
  const one = <Item>(items: readonly Item[]): Item => items[random(items.length)] as Item;
  const happens = (percent: number): boolean => random(100) < percent;
  const space = (): string => (happens(4) ? one(spaces) : '');

  let isPlain = true;
  let spec: string | undefined;
  const fields: Partial<Record<MetadataField, string>> = {};

  function string(): string {
    if (happens(60)) return `"${'abcdefghijklmnopqrstuvwxyz-0123456789'.slice(random(8), 8 + random(25))}"`;
    let text = '"';
    for (let length = random(happens(20) ? 90 : 12); length > 0; length--) text += one(soup);
    return `${text}"`;
  }
  function value(depth: number): string {
    const kind = random(depth > 3 ? 6 : 10);
    if (kind < 4) return string();
    if (kind === 4) return one(['0', '-1.5e3', '120', '1E-9']);
    if (kind === 5) return one(['true', 'false', 'null']);
    return kind < 8 ? array(depth) : nested(depth);
  }
  /**
   * Returns a value that is not an object, at a place where an object is expected. An object there
   * would have members that the scanner looks for.
   */
  const odd = (): string => one([string(), '0', 'null', array(3)]);
  function array(depth: number): string {
    return `[${space()}${Array.from({ length: random(4) }, () => value(depth + 1) + space()).join(`,${space()}`)}]`;
  }
  function nested(depth: number): string {
    const member = (): string => {
      const key = happens(40) ? `"${one([...decoys, 'metadata', 'spec', 'managedFields', 'name'])}"` : string();
      return `${key}${space()}:${space()}${value(depth + 1)}`;
    };
    return `{${space()}${Array.from({ length: random(4) }, member).join(`,${space()}`)}${space()}}`;
  }
  function key(name: string): string {
    if (!happens(1)) return `"${name}"`;
    isPlain = false;
    const at = random(name.length);
    return `"${name.slice(0, at)}\\u00${name.charCodeAt(at).toString(16)}${name.slice(at + 1)}"`;
  }
  function member(name: string, text: string): string {
    return `${key(name)}${space()}:${space()}${text}`;
  }
  function objectOf(members: string[], again: () => string): string {
    for (let count = random(3); count > 0; count--) members.push(member(one(decoys), value(2)));
    if (happens(3)) {
      isPlain = false;
      members.push(again());
    }
    for (let at = members.length - 1; at > 0; at--) {
      if (happens(50)) continue;
      const other = random(at + 1);
      [members[at], members[other]] = [members[other] as string, members[at] as string];
    }
    return `{${space()}${members.join(`${space()},${space()}`)}${space()}}`;
  }
  function metadata(): string {
    if (happens(3)) return odd();
    const members: string[] = [];
    for (const name of fieldNames) {
      if (happens(15)) continue;
      const text = happens(93) ? string() : value(3);
      members.push(member(name, text));
      if (/^"[ !#-[\]-~]*"$/.test(text)) fields[name] = text.slice(1, -1);
    }
    if (happens(70)) members.push(member('managedFields', happens(80) ? array(2) : value(2)));
    return objectOf(members, () => `"${one([...fieldNames, 'managedFields'])}":${value(3)}`);
  }
  function object(): string {
    if (happens(2)) return odd();
    const members: string[] = [];
    if (happens(95)) members.push(member('metadata', metadata()));
    if (happens(85)) {
      spec = happens(90) ? nested(1) : value(1);
      members.push(member('spec', spec));
    }
    if (happens(50)) members.push(member('status', value(1)));
    return objectOf(members, () => `"${one(['metadata', 'spec'])}":${value(1)}`);
  }
  function line(): string {
    const type = happens(90) ? one(['"ADDED"', '"MODIFIED"', '"DELETED"', '"BOOKMARK"', '"ERROR"']) : odd();
    const members = [member('type', type), member('object', object())];
    return objectOf(members, () => `"${one(['type', 'object'])}":${value(1)}`);
  }
  function damaged(bytes: Uint8Array): Uint8Array {
    isPlain = false;
    const at = random(bytes.length + 1);
    switch (random(5)) {
      case 0:
        return bytes.subarray(0, at);
      case 1:
        return joined(Uint8Array.of(0xef, 0xbb, 0xbf), bytes);
      case 2:
        return joined(bytes.subarray(0, at), Uint8Array.of(0x80 + random(128)), bytes.subarray(at + random(2)));
      default:
        return joined(bytes.subarray(0, at), utf8.encode(one(damage)), bytes.subarray(at + random(3)));
    }
  }

  const kind = happens(50) ? 'line' : 'item';
  const text = kind === 'line' ? line() : object();
  const whole = utf8.encode(text);
  const bytes = happens(30) ? damaged(whole) : whole;
  return { kind, bytes, isPlain, fields, spec };
}

export function joined(...pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
