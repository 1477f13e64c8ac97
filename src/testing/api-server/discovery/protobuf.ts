import type { Schema } from '../resources/catalog.js';
import { type OpenApiV2, type Operation } from './open-api.js';

/**
 * A protobuf message: its fields by number. Undefined fields and empty lists are not encoded. See
 * https://protobuf.dev/programming-guides/encoding/
 */
interface Message {
  readonly [field: number]: Value | readonly Value[] | undefined;
}
type Value = string | Message;

/** Clients request it with `@` before the version, which some parsers of media types reject. */
export const openApiV2Protobuf = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

/**
 * Encodes an OpenAPI 2 document as the protobuf message `openapi.v2.Document`, the only form that
 * kubectl reads. The field numbers are defined in
 * https://github.com/google/gnostic/blob/main/openapiv2/OpenAPIv2.proto.
 */
export function encodeOpenApiV2({ swagger, info, paths, definitions }: OpenApiV2): Uint8Array {
  const document = {
    1: swagger,
    2: { 1: info.title, 2: info.version },
    8: { 2: Object.entries(paths).map(([path, operations]) => ({ 1: path, 2: pathItem(operations) })) },
    9: { 1: named(definitions) },
  };
  return Uint8Array.from(encode(document));
}

function pathItem(operations: Readonly<Record<string, Operation>>): Message {
  const encoded = (method: string): Message | undefined => {
    const operation = operations[method];
    return operation === undefined ? undefined : operationMessage(operation);
  };
  return { 2: encoded('get'), 3: encoded('put'), 4: encoded('post'), 5: encoded('delete'), 8: encoded('patch') };
}

function operationMessage(operation: Operation): Message {
  const parameters = operation.parameters as readonly Readonly<Record<'name' | 'in' | 'type', string>>[];
  return {
    8: parameters.map((parameter) => ({ 1: { 2: { 3: { 2: parameter.in, 4: parameter.name, 6: parameter.type } } } })),
    9: { 1: { 1: '200', 2: { 1: { 1: 'OK' } } } },
    13: extensions(operation),
  };
}

function schemaMessage(schema: Schema): Message {
  const { $ref, format, description, required, additionalProperties, type, items, properties } = schema;
  return {
    1: $ref,
    2: format,
    4: description,
    19: required,
    21: typeof additionalProperties === 'object' ? { 1: schemaMessage(additionalProperties) } : undefined,
    22: type === undefined ? undefined : { 1: type },
    23: items === undefined ? undefined : { 1: schemaMessage(items) },
    25: properties === undefined ? undefined : { 1: named(properties) },
    31: extensions(schema),
  };
}

function named(schemas: Readonly<Record<string, Schema>>): readonly Message[] {
  return Object.entries(schemas).map(([name, schema]) => ({ 1: name, 2: schemaMessage(schema) }));
}

/** Encodes extensions. Their values are YAML, so JSON is valid too. */
function extensions(object: object): readonly Message[] {
  return Object.entries(object)
    .filter(([name]) => name.startsWith('x-'))
    .map(([name, value]) => ({ 1: name, 2: { 2: JSON.stringify(value) } }));
}

const lengthDelimited = 2;

function encode(message: Message): readonly number[] {
  const bytes: number[] = [];
  for (const [field, value] of Object.entries(message)) {
    const values = Array.isArray(value) ? (value as readonly Value[]) : [value as Value | undefined];
    for (const one of values) if (one !== undefined) writeField(bytes, Number(field), one);
  }
  return bytes;
}

function writeField(bytes: number[], field: number, value: Value): void {
  const content = typeof value === 'string' ? new TextEncoder().encode(value) : encode(value);
  writeVarint(bytes, (field << 3) | lengthDelimited);
  writeVarint(bytes, content.length);
  for (const byte of content) bytes.push(byte);
}

function writeVarint(bytes: number[], value: number): void {
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  bytes.push(rest);
}
