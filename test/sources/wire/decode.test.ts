import fc from 'fast-check';
import { isRxInformersError, type RxInformersError } from 'rx-informers';
import { decodeJson } from '../../../src/sources/wire/bytes.js';
import { chooseScanner, createTextScanner } from '../../../src/sources/wire/choose-scanner.js';
import { peekChange } from '../../../src/sources/wire/peek.js';
import type { TextScanner } from '../../../src/sources/wire/scanner.js';
import { encode } from '../support/scripted-client.js';
import { trickyJson, indentation } from './chunks.js';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

function errorOf(run: () => unknown): RxInformersError<'RXI_WIRE'> {
  try {
    run();
  } catch (error) {
    if (isRxInformersError(error, 'RXI_WIRE')) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('decodeJson', () => {
  it('returns what JSON.parse returns, for any JSON', () => {
    fc.assert(
      fc.property(trickyJson, (value) => {
        const text = JSON.stringify(value);
        expect(decodeJson(bytesOf(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  it('throws for invalid JSON, with its beginning, its length and the cause', () => {
    const error = errorOf(() => decodeJson(bytesOf(`<html>${'x'.repeat(1000)}`)));

    expect(error.problem).toBe('not valid JSON');
    expect(error.line).toMatch(/^<html>x+$/);
    expect(error.line.length).toBe(200);
    expect(error.byteLength).toBe(1006);
    expect(error.cause).toBeInstanceOf(SyntaxError);
  });

  it('throws for a truncated object and for empty input', () => {
    expect(errorOf(() => decodeJson(bytesOf('{"kind":"Pod'))).problem).toBe('not valid JSON');
    expect(errorOf(() => decodeJson(bytesOf(''))).byteLength).toBe(0);
  });

  it('throws for invalid UTF-8 instead of inserting replacement characters', () => {
    const error = errorOf(() => decodeJson(Uint8Array.of(0x22, 0xc3, 0x28, 0x22)));

    expect(error.problem).toBe('not valid UTF-8');
    expect(error.line).toBe('"\ufffd("');
    expect(error.byteLength).toBe(4);
  });
});

const problemOf = (read: () => unknown): RxInformersError<'RXI_WIRE'> => {
  try {
    read();
  } catch (error) {
    if (isRxInformersError(error, 'RXI_WIRE')) return error;
  }
  throw new Error('an RXI_WIRE expected');
};

describe.each(['wasm', 'none'] as const)('a scanned line (scanner: %s)', (choice) => {
  const omits = choice === 'wasm';
  let scanner: TextScanner;
  const decode = (line: Uint8Array): unknown => scanner.scan('line', line).parse();

  beforeAll(async () => {
    await chooseScanner(choice);
    scanner = createTextScanner({ omitManagedFields: true });
  });
  afterAll(() => chooseScanner('fastest'));

  it('is parsed without managedFields if it is scanned, and with other fields of that name', () => {
    const managedFields = [{ manager: 'kubelet', fieldsV1: { 'f:x': { '.': {} } } }];
    const spec = { metadata: { managedFields }, managedFields };
    const event = {
      managedFields,
      object: { managedFields, metadata: { name: 'a', managedFields, labels: { managedFields } }, spec },
      metadata: { managedFields },
    };
    expect(decode(encode(JSON.stringify(event)))).toEqual({
      ...event,
      object: { ...event.object, metadata: { ...event.object.metadata, ...(omits && { managedFields: undefined }) } },
    });
  });

  it('equals the result of JSON.parse, without managedFields or with them', () => {
    const anyMember = fc.tuple(fc.constantFrom('metadata', 'managedFields', 'name', 'object', 'ø'), trickyJson);
    const anyObject = fc.array(anyMember, { maxLength: 4 }).map((members) => Object.fromEntries(members) as object);
    const before = anyObject;
    fc.assert(
      fc.property(
        before,
        anyObject,
        anyObject,
        fc.option(trickyJson),
        indentation,
        (outer, object, metadata, fields, space) => {
          const event = {
            ...outer,
            object: { ...object, metadata: { ...metadata, ...(fields !== null && { managedFields: fields }), z: 1 } },
          };
          const text = JSON.stringify(event, null, space).replace(/\n/g, ' ');
          const { managedFields: omitted, ...kept } = event.object.metadata as Record<string, unknown>;
          const isOmitted = omits && typeof omitted === 'object' && omitted !== null;
          const without = { ...event, object: { ...event.object, metadata: isOmitted ? kept : event.object.metadata } };
          expect(decode(encode(text))).toEqual(JSON.parse(JSON.stringify(without)));
        },
      ),
    );
  });

  it.each([
    '{"object":{"metadata":{"managedFields":[]},}}',
    '{"object":{"metadata":{"name":"a","managedFields":[],}}}',
    '{"object":{"metadata":{,"managedFields":[]}}}',
    '{"object":{"metadata":{"name":"a" "managedFields":[]}}}',
    '{"object":{"metadata":{"managedFields":[}}}}',
    '{"object":{"metadata":{"managedFields":[],"name":"a"',
    '{"object":{"metadata":{"managedFields":{"a":"',
    '{"object":{"metadata":{"managedFields":[]}}',
    '',
  ])('is reported as it arrived: %j', (text) => {
    const error = problemOf(() => decode(encode(text)));
    const asItCame = problemOf(() => decodeJson(encode(text)));
    expect([error.problem, error.line, error.byteLength]).toEqual([
      asItCame.problem,
      asItCame.line,
      asItCame.byteLength,
    ]);
  });

  it('is refused if the rest is not UTF-8', () => {
    const bytes = encode('{"object":{"metadata":{"managedFields":[],"name":"?"}}}');
    bytes[bytes.indexOf(0x3f)] = 0xff;
    expect(problemOf(() => decode(bytes)).problem).toBe('not valid UTF-8');
  });

  it('is parsed to a separate object, although one buffer serves all lines', () => {
    const [first, second] = ['a', 'b'].map((name) =>
      decode(encode(JSON.stringify({ object: { metadata: { managedFields: [], name } } }))),
    );
    expect([first, second]).toMatchObject([
      { object: { metadata: { name: 'a' } } },
      { object: { metadata: { name: 'b' } } },
    ]);
  });
});

const peek = (text: string): string | undefined => peekChange(encode(text))?.identity;

const metadata = { name: 'a', namespace: 'web', uid: 'u1' };

const upsert = (own: object = {}, type: unknown = 'MODIFIED'): string =>
  JSON.stringify({ type, object: { kind: 'Pod', apiVersion: 'v1', metadata: { ...metadata, ...own } } });

const known = peek(upsert());

describe('peekChange', () => {
  it('returns the same text for the same namespace, name and uid, with any other fields in any order', () => {
    expect(known).toBeDefined();
    expect(peek(upsert({ resourceVersion: '5', labels: { name: 'b', uid: 'u2' } }, 'ADDED'))).toBe(known);
    expect(
      peek('{"object":{"metadata":{"uid":"u1","namespace":"web","name":"a"},"spec":{"name":"b"}},"type":"ADDED"}'),
    ).toBe(known);
    expect(
      peek(
        ' { "type" : "ADDED" ,\t"object" : { "metadata" : { "annotations":{"x":"}\\"{"} , "name":"a","namespace":"web","uid":"u1"'.trim(),
      ),
    ).toBe(known);
  });

  it.each([{ name: 'b' }, { namespace: 'shop' }, { uid: 'u2' }])(
    'returns another text for another object: %j',
    (own) => {
      expect(peek(upsert(own))).toBeDefined();
      expect(peek(upsert(own))).not.toBe(known);
    },
  );

  it.each([
    ['ADDED', 'upsert'],
    ['MODIFIED', 'upsert'],
    ['DELETED', 'deletion'],
  ])('peekChange reads %s as an %s', (type, expected) => {
    expect(peekChange(encode(upsert({}, type)))).toEqual({ type: expected, identity: known });
  });

  it('does not mistake a part of a field name for a field', () => {
    expect(peek(upsert({ namespace: 'a/b', name: 'c' }))).not.toBe(peek(upsert({ namespace: 'a', name: 'b/c' })));
  });

  it.each(['BOOKMARK', 'ERROR', 'added', 'ADDED2', '', null, 1])('returns nothing for the type %j', (type) => {
    expect(peek(upsert({}, type))).toBeUndefined();
  });

  it.each([
    ['no uid', upsert({ uid: undefined })],
    ['an empty uid', upsert({ uid: '' })],
    ['no name', upsert({ name: undefined })],
    ['a name that is not a string', upsert({ name: 7 })],
    ['a namespace that is not a string', upsert({ namespace: null })],
    ['a name with escape sequences', upsert().replace('"a"', String.raw`"\u0061"`)],
    ['a key with escape sequences', upsert().replace('"uid"', String.raw`"\u0075id"`)],
    ['an invalid object', '{"type":"ADDED","object":[]}'],
    ['invalid metadata', '{"type":"ADDED","object":{"metadata":"x"}}'],
    ['no object', '{"type":"ADDED"}'],
    ['an array', `[${upsert()}]`],
    ['a line cut within the uid', '{"type":"ADDED","object":{"metadata":{"name":"a","uid":"u'],
    ['invalid JSON', 'x'],
    ['nothing', ''],
  ])('peekChange returns nothing for %s', (_what, text) => {
    expect(peek(text)).toBeUndefined();
  });

  it('gives up if the names are far from the beginning', () => {
    expect(peek(upsert({ annotations: { x: 'x'.repeat(3_000) }, ...metadata }))).toBeDefined();
    const late = JSON.stringify({
      type: 'ADDED',
      object: { metadata: { annotations: { x: 'x'.repeat(5_000) }, ...metadata } },
    });
    expect(peek(late)).toBeUndefined();
  });

  it('agrees with JSON.parse for any object, and gives up on any truncated one without an error', () => {
    const anyName = fc.oneof(fc.constantFrom('a', 'b'), fc.string({ unit: 'binary', minLength: 1 }));
    const anyMetadata = fc.record({ x: trickyJson, namespace: anyName, name: anyName, uid: anyName, y: trickyJson });
    fc.assert(
      fc.property(anyMetadata, anyMetadata, fc.nat(), (one, other, cut) => {
        const [first, second] = [one, other].map((own) => peek(upsert(own)));
        const isSame = one.namespace === other.namespace && one.name === other.name && one.uid === other.uid;
        const isKnown = first !== undefined && second !== undefined;
        expect(!isKnown || (first === second) === isSame).toBe(true);
        const text = upsert(one);
        const ofBeginning = peek(text.slice(0, cut % (text.length + 1)));
        expect([undefined, first]).toContain(ofBeginning);
      }),
    );
  });
});
