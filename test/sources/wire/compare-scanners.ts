import { isDeepStrictEqual } from 'node:util';
import { isRxInformersError } from 'rx-informers';
import { decodeJson } from '../../../src/sources/wire/bytes.js';
import type { MetadataField, ScannedText } from '../../../src/sources/wire/scanner.js';
import { createWasmScanner, type WasmEngine } from '../../../src/sources/wire/wasm-scanner.js';
import { nextCase, randomFrom, type ScannerCase } from './scanner-cases.js';

const fields: readonly MetadataField[] = ['name', 'namespace', 'uid', 'resourceVersion'];

/** The result of parsing a text: a value, or the reported problem. */
type Outcome = { readonly value: unknown } | { readonly problem: string; readonly line: string };

export function outcomeOf(read: () => unknown): Outcome {
  try {
    return { value: read() };
  } catch (error) {
    if (!isRxInformersError(error, 'RXI_WIRE')) throw error;
    return { problem: error.problem, line: error.line };
  }
}

function isSame(a: Outcome, b: Outcome): boolean {
  return JSON.stringify(a) === JSON.stringify(b) || isDeepStrictEqual(a, b);
}

/** The fields of an object. Any other value has no fields. */
type Members = Record<string, unknown>;
const membersOf = (value: unknown): Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {};

const objectIn = (value: unknown, kind: ScannerCase['kind']): Members =>
  membersOf(kind === 'line' ? membersOf(value)['object'] : value);

/** The naive scanner. It parses everything, and then deletes the fields that must be omitted. */
function parseNaively({ kind, bytes }: ScannerCase, omitsManagedFields: boolean): Outcome {
  return outcomeOf(() => {
    const value = decodeJson(bytes);
    const metadata = membersOf(objectIn(value, kind)['metadata']);
    const { managedFields } = metadata;
    if (omitsManagedFields && typeof managedFields === 'object' && managedFields !== null) {
      delete metadata['managedFields'];
    }
    return value;
  });
}

function otherThan(character: string | undefined): string {
  return character === '0' ? '1' : '0';
}

/**
 * Returns a function that compares the scanner with the naive scanner, for the cases of a seed. The
 * function throws at the first difference.
 */
export function createComparison(engine: WasmEngine): (seed: number, count: number) => void {
  const scanners = [false, true].map((omitManagedFields) => ({
    omitManagedFields,
    wasm: createWasmScanner(engine, { omitManagedFields }),
  }));
  /** The bytes of each spec by digest, and its digest by bytes. */
  const specs = new Map<string, string>();
  const digests = new Map<string, string>();
  /** The metadata by digest, without the version and the managed fields. */
  const metadatas = new Map<string, string>();

  function compare(one: ScannerCase, omitManagedFields: boolean, wasm: ScannedText): void {
    const check = (isTrue: boolean, what: string): void => {
      if (!isTrue) throw new Error(`${what}: ${one.kind} ${JSON.stringify(new TextDecoder().decode(one.bytes))}`);
    };
    const naive = parseNaively(one, omitManagedFields);
    const parsed = outcomeOf(() => wasm.parse());
    const text = new TextDecoder().decode(one.bytes);
    if ('value' in parsed && 'problem' in naive) {
      check(omitManagedFields && text.includes('"managedFields"'), 'an invalid text was parsed');
    } else if (one.isPlain || 'problem' in parsed) {
      check(isSame(parsed, naive), 'it is not parsed as JSON.parse does');
    } else {
      check(isSame(parsed, naive) || isSame(parsed, parseNaively(one, false)), 'it lacks more than managedFields');
    }

    const object = 'value' in parsed ? objectIn(parsed.value, one.kind) : {};
    const metadata = membersOf(object['metadata']);
    for (const name of fields) {
      const field = wasm.field(name);
      if (one.isPlain) check(field === one.fields[name], `${name} is not found, or not as it is`);
      if (field === undefined) continue;
      check(!('value' in parsed) || metadata[name] === field, `${name} is not what is parsed`);
      check(wasm.hasFieldValue(name, field), `${name} does not spell itself`);
      for (const other of [`${field}"`, field.slice(1), `${field}x`]) {
        check(other === field || !wasm.hasFieldValue(name, other), `${name} spells ${other}`);
      }
    }
    if ('value' in parsed) {
      const isUpsert = one.kind === 'item' || ['ADDED', 'MODIFIED'].includes(membersOf(parsed.value)['type'] as string);
      check(!wasm.isUpsert || isUpsert, 'it is taken for an upsert');
      check(wasm.isUpsert || !isUpsert || !one.isPlain || isOdd(parsed.value), 'it is not taken for an upsert');
    }

    const whole = wasm.digest(true);
    const parts = whole?.slice(8) || undefined;
    const digest = parts?.slice(4);
    check(wasm.digest(false) === parts, 'the digests of metadata and spec alone');
    if (one.isPlain)
      check((digest === undefined) === (one.spec === undefined), 'there is no digest, or too much of one');
    if (whole === undefined) return;
    check(
      wasm.hasDigest(whole) && !wasm.hasDigest(`${otherThan(whole.at(0))}${whole.slice(1)}`),
      'digest of the object',
    );
    for (const cut of ['', whole.slice(0, 8)]) {
      check(!wasm.hasSpecDigest(cut) && !wasm.hasMetadataDigest(cut), 'a digest that is cut off');
    }
    check(!wasm.hasDigest(''), 'no digest');
    if (parts === undefined || digest === undefined) return;
    const otherSpec = `${whole.slice(0, -1)}${otherThan(whole.at(-1))}`;
    check(wasm.hasSpecDigest(whole) && !wasm.hasSpecDigest(otherSpec), 'digest of the spec');
    check(wasm.hasSpecDigest(parts) && !wasm.hasDigest(parts), 'digests of metadata and spec alone');
    const otherMetadata = `${otherThan(parts.at(0))}${parts.slice(1)}`;
    for (const each of [whole, parts]) check(wasm.hasMetadataDigest(each) === omitManagedFields, 'digest of metadata');
    check(!wasm.hasMetadataDigest(otherMetadata), 'another digest of metadata');
    if (!('value' in parsed)) return;
    const { resourceVersion: _version, managedFields: _fields, ...held } = metadata;
    const known = metadatas.get(parts.slice(0, 4)) ?? JSON.stringify(held);
    check(known === JSON.stringify(held), 'two metadata have one digest');
    if (metadatas.size > 5_000) metadatas.clear();
    metadatas.set(parts.slice(0, 4), known);
    const rest = outcomeOf(() => wasm.parseWithoutSpec(false));
    object['spec'] = 0;
    check(isSame(rest, parsed), 'the rest is not parsed as the whole');
    const less = outcomeOf(() => wasm.parseWithoutSpec(true));
    if ('metadata' in object) object['metadata'] = 0;
    check(isSame(less, parsed), 'the rest without metadata is not parsed as the whole');
    if (!one.isPlain || one.spec === undefined) return;
    check((specs.get(digest) ?? one.spec) === one.spec, 'two specs have one digest');
    check((digests.get(one.spec) ?? digest) === digest, 'one spec has two digests');
    if (specs.size > 5_000) [specs, digests].forEach((map) => map.clear());
    specs.set(digest, one.spec);
    digests.set(one.spec, digest);
  }

  return (seed, count) => {
    const random = randomFrom(seed);
    for (let number = 0; number < count; number++) {
      const one = nextCase(random);
      const { omitManagedFields, wasm } = scanners[random(2)] as (typeof scanners)[number];
      poison(engine, one.bytes.length, random(256));
      compare(one, omitManagedFields, wasm.scan(one.kind, one.bytes));
      checkGuards(engine, one.bytes.length);
    }
  };
}

/** Returns true if a value is not an object. Such a value has no members. */
const isOdd = (value: unknown): boolean => typeof value !== 'object' || value === null || Array.isArray(value);

const guard = 256;
const padding = 64;
/**
 * The text that fills the memory before each case, as if an earlier text had left it behind. It
 * contains every character that has a meaning in JSON.
 */
const remains = new TextEncoder().encode('"}]}],"spec":{"uid":"of another tenant","managedFields":[{"\\'.repeat(80));

/**
 * Returns places before and after a text and its copy. The scanner must not write to them. The
 * digests of the spec and of metadata may precede the copy, which is then at a higher place.
 */
function guardsOf({ input, output }: WasmEngine, length: number): readonly number[] {
  return [input - guard, input + length + padding, output - guard, output + length + 32];
}

/**
 * Fills the memory before a case. The scanner must not read the bytes at the place of the text, and
 * must not change the bytes around it.
 */
function poison(engine: WasmEngine, length: number, shift: number): void {
  for (const at of [engine.input, engine.output]) {
    for (let filled = 0; filled < length + padding; filled += remains.length - shift) {
      engine.memory.set(remains.subarray(shift), at + filled);
    }
  }
  for (const at of guardsOf(engine, length)) engine.memory.fill(0xa5, at, at + guard);
}

function checkGuards(engine: WasmEngine, length: number): void {
  for (const from of guardsOf(engine, length)) {
    for (let at = from; at < from + guard; at++) {
      if (engine.memory[at] !== 0xa5) throw new Error(`written at ${at}, with a text of ${length} bytes`);
    }
  }
}
