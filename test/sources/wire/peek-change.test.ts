import fc from 'fast-check';
import { peekChange } from '../../../src/sources/wire/peek.js';
import { encode } from '../support/scripted-client.js';
import { trickyJson } from './chunks.js';

const peek = (text: string): string | undefined => peekChange(encode(text))?.identity;
const metadata = { name: 'a', namespace: 'web', uid: 'u1' };
const upsert = (own: object = {}, type: unknown = 'MODIFIED'): string =>
  JSON.stringify({ type, object: { kind: 'Pod', apiVersion: 'v1', metadata: { ...metadata, ...own } } });
const known = peek(upsert());

describe('peekChange', () => {
  it('returns one text for one namespace, name and uid, whatever else a line says and in whatever order', () => {
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
    'returns another one for another object: %j',
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

  it('does not take a part of one name for a part of another', () => {
    expect(peek(upsert({ namespace: 'a/b', name: 'c' }))).not.toBe(peek(upsert({ namespace: 'a', name: 'b/c' })));
  });

  it.each(['BOOKMARK', 'ERROR', 'added', 'ADDED2', '', null, 1])('returns nothing for the type %j', (type) => {
    expect(peek(upsert({}, type))).toBeUndefined();
  });

  it.each([
    ['no uid', upsert({ uid: undefined })],
    ['an empty uid', upsert({ uid: '' })],
    ['no name', upsert({ name: undefined })],
    ['a name that is no string', upsert({ name: 7 })],
    ['a namespace that is no string', upsert({ namespace: null })],
    ['a name spelled with escapes', upsert().replace('"a"', String.raw`"\u0061"`)],
    ['a key spelled with escapes', upsert().replace('"uid"', String.raw`"\u0075id"`)],
    ['an object that is none', '{"type":"ADDED","object":[]}'],
    ['metadata that are none', '{"type":"ADDED","object":{"metadata":"x"}}'],
    ['no object', '{"type":"ADDED"}'],
    ['an array', `[${upsert()}]`],
    ['a line cut within the uid', '{"type":"ADDED","object":{"metadata":{"name":"a","uid":"u'],
    ['no JSON', 'x'],
    ['nothing', ''],
  ])('peekChange returns nothing for %s', (_what, text) => {
    expect(peek(text)).toBeUndefined();
  });

  it('gives up where the names stand far behind', () => {
    expect(peek(upsert({ annotations: { x: 'x'.repeat(3_000) }, ...metadata }))).toBeDefined();
    const late = JSON.stringify({
      type: 'ADDED',
      object: { metadata: { annotations: { x: 'x'.repeat(5_000) }, ...metadata } },
    });
    expect(peek(late)).toBeUndefined();
  });

  it('agrees with JSON.parse on any object, and gives up on any beginning of one without failing', () => {
    const anyName = fc.oneof(fc.constantFrom('a', 'b'), fc.string({ unit: 'binary', minLength: 1 }));
    const anyMetadata = fc.record({ x: trickyJson, namespace: anyName, name: anyName, uid: anyName, y: trickyJson });
    fc.assert(
      fc.property(anyMetadata, anyMetadata, fc.nat(), (one, other, cut) => {
        const [first, second] = [one, other].map((own) => peek(upsert(own)));
        const isSame = one.namespace === other.namespace && one.name === other.name && one.uid === other.uid;
        const isTold = first !== undefined && second !== undefined;
        expect(!isTold || (first === second) === isSame).toBe(true);
        const text = upsert(one);
        const ofBeginning = peek(text.slice(0, cut % (text.length + 1)));
        expect([undefined, first]).toContain(ofBeginning);
      }),
    );
  });
});
