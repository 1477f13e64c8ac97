import fc from 'fast-check';
import { decodeEventWithout } from '../../../src/sources/reflector/read-watch.js';
import { decodeJson, WireError } from '../../../src/sources/wire/bytes.js';
import { encode } from '../support/scripted-client.js';
import { indentation, trickyJson } from './chunks.js';

const decode = decodeEventWithout(['metadata', 'managedFields']);
const problemOf = (read: () => unknown): WireError => {
  try {
    read();
  } catch (error) {
    if (error instanceof WireError) return error;
  }
  throw new Error('a WireError expected');
};

describe('decodeEventWithout', () => {
  it('leaves out the member, and nothing that only has its name', () => {
    const managedFields = [{ manager: 'kubelet', fieldsV1: { 'f:x': { '.': {} } } }];
    const spec = { metadata: { managedFields }, managedFields };
    const event = {
      managedFields,
      object: { managedFields, metadata: { name: 'a', managedFields, labels: { managedFields } }, spec },
      metadata: { managedFields },
    };
    expect(decode(encode(JSON.stringify(event)))).toEqual({
      ...event,
      object: { ...event.object, metadata: { name: 'a', labels: { managedFields } } },
    });
  });

  it('decodes any event as JSON.parse does, without the member or with it', () => {
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
          const isOmitted = typeof omitted === 'object' && omitted !== null;
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
  ])('reports the line %j unchanged', (text) => {
    const error = problemOf(() => decode(encode(text)));
    const asItCame = problemOf(() => decodeJson(encode(text)));
    expect([error.problem, error.line, error.byteLength]).toEqual([
      asItCame.problem,
      asItCame.line,
      asItCame.byteLength,
    ]);
  });

  it('reports what is not UTF-8 in the rest of the line', () => {
    const bytes = encode('{"object":{"metadata":{"managedFields":[],"name":"?"}}}');
    bytes[bytes.indexOf(0x3f)] = 0xff;
    expect(problemOf(() => decode(bytes)).problem).toBe('not valid UTF-8');
  });

  it('returns objects of their own, though one buffer serves all lines', () => {
    const [first, second] = ['a', 'b'].map((name) =>
      decode(encode(JSON.stringify({ object: { metadata: { managedFields: [], name } } }))),
    );
    expect([first, second]).toEqual([{ object: { metadata: { name: 'a' } } }, { object: { metadata: { name: 'b' } } }]);
  });
});
