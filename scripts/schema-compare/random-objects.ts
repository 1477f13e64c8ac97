import fc from 'fast-check';
import type { Schema } from '../../src/testing/api-server/resources/catalog.js';
import { formatCheck } from '../../src/testing/api-server/schema/formats.js';
import { goPattern } from '../../src/testing/api-server/schema/go-pattern.js';
import { seedOf } from '../../test/support/seed.js';

export type Random = () => number;

/** A place of an object, and a keyword of its schema that can be broken there. */
export interface Site {
  readonly keyword: string;
  readonly path: readonly (string | number)[];
  readonly schema: Schema;
  readonly value: unknown;
}

export function pick<T>(values: readonly T[], random: Random): T {
  return values[Math.floor(random() * values.length)] as T;
}

const texts = [
  ...[
    'a',
    'abc',
    'web-1',
    'A',
    'Abc',
    'a.b.example.com',
    'example.com/name',
    '10s',
    '1h30m',
    '5m',
    '100Mi',
    '1.5',
    '0',
  ],
  ...[
    'http://example.com/x?y=1',
    'https://a.b:8443',
    'socks5://proxy:1080',
    '/path',
    'warn',
    'monday',
    'january',
    '2024',
  ],
  ...['2024-02-29T12:30:00Z', '2024-02-29', 'YWJj', 'user@example.com', '10.0.0.1', '2001:db8::1', '10.0.0.0/8'],
  ...[
    '*.json',
    '@daily',
    '12:30',
    '1MB',
    'System',
    '*',
    'a/b',
    'x\u00e4\u{1f600}',
    '',
    ' ',
    'line\nbreak',
    'q"u\\ote',
    '<&>',
  ],
  ...[
    '00:11:22:33:44:55',
    '550e8400-e29b-41d4-a716-446655440000',
    '#ff00aa',
    'rgb(1,2,3)',
    '0321751043',
    '978-0321751041',
  ],
  ...['4111 1111 1111 1111', '123-45-6789', '507f1f77bcf86cd799439011', '6ba7b810-9dad-31d1-80b4-00c04fd430c8'],
  ...[
    '1985-13-01',
    '25:00',
    '300.1.1.1',
    '::ffff:1.2.3.4',
    '1::2::3',
    '10.0.0.1/33',
    'not a date',
    '2 days',
    '1y',
    'a'.repeat(70),
  ],
  ...[
    '2024-02-29t12:30:00.123+01:00',
    '2023-02-29',
    '010.001.0.1',
    'fe80::1%eth0',
    'a_b',
    '-a',
    'a-',
    'a..b',
    'a@b',
    '"q p"@x.y',
  ],
  ...[
    'Name <n@x.y>',
    '//host',
    'x:',
    'mailto:a@b.c',
    'http://[::1]:80/',
    'http://a b/',
    'abc=',
    'YWI=',
    'YWI',
    '\u0001',
    '\u200b',
  ],
];

const samples = new Map<string, readonly string[]>();

/** Returns texts that match a pattern of Go, as far as they can be found. */
function textsFor(pattern: string): readonly string[] {
  const known = samples.get(pattern);
  if (known !== undefined) return known;
  const expression = goPattern(pattern) ?? (() => false);
  let found = texts.filter((text) => expression(text));
  try {
    found = [
      ...found,
      ...fc.sample(fc.stringMatching(new RegExp(pattern)), { numRuns: 20, seed: seedOf(pattern) }),
    ].filter((text) => expression(text));
  } catch {
    // The pattern has no meaning in JavaScript.
  }
  samples.set(pattern, found);
  return found;
}

/** Creates a random value of a schema. Most values are valid. */
export function randomValue(schema: Schema, random: Random, depth = 0): unknown {
  const { properties = {}, additionalProperties, required = [], items, enum: values } = schema;
  if (values !== undefined && values.length > 0) return pick(values, random);
  if (schema['x-kubernetes-int-or-string'] === true)
    return random() < 0.5 ? whole(schema, random) : text(schema, random);
  switch (schema.type) {
    case 'integer':
      return whole(schema, random);
    case 'number':
      return random() < 0.5 ? whole(schema, random) : whole(schema, random) + 0.5 * (schema.multipleOf ?? 1);
    case 'string':
      return text(schema, random);
    case 'boolean':
      return random() < 0.5;
    case 'array': {
      const size = (schema.minItems ?? 0) + Math.floor(random() * (depth > 5 ? 1 : 3));
      const list = Array.from({ length: Math.min(size, schema.maxItems ?? size) }, () =>
        items === undefined ? 'x' : randomValue(items, random, depth + 1),
      );
      if (schema['x-kubernetes-list-type'] === undefined) return list;
      return [...new Map(list.map((item) => [keyIn(schema, item), item])).values()];
    }
    default: {
      const names = Object.keys(properties).filter(
        (name) => depth > 0 || !['apiVersion', 'kind', 'metadata'].includes(name),
      );
      const chance = depth === 0 ? 0.9 : depth > 6 ? 0 : Math.min(0.6, 3 / Math.max(1, names.length));
      const object: Record<string, unknown> = {};
      if (schema['x-kubernetes-embedded-resource'] === true)
        Object.assign(object, { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'inside', labels: { a: 'b' } } });
      for (const name of names) {
        const property = properties[name] as Schema;
        if (Object.hasOwn(object, name)) continue;
        if (required.includes(name) || random() < chance) object[name] = randomValue(property, random, depth + 1);
      }
      if (typeof additionalProperties === 'object') {
        const count = (schema.minProperties ?? 0) + Math.floor(random() * 3);
        for (let index = 0; index < Math.min(count, schema.maxProperties ?? count); index++)
          object[pick(['k', 'k1', 'a.b/c', 'x-y', '10'], random) + String(index)] = randomValue(
            additionalProperties,
            random,
            depth + 1,
          );
      }
      return object;
    }
  }
}

function keyIn(schema: Schema, item: unknown): string {
  const keys = (schema['x-kubernetes-list-map-keys'] ?? []) as readonly string[];
  if (schema['x-kubernetes-list-type'] !== 'map') return JSON.stringify(item);
  return JSON.stringify(keys.map((key) => (item as Record<string, unknown> | null)?.[key]));
}

function whole(
  { minimum = -3, maximum = minimum + 100, exclusiveMinimum, multipleOf = 1 }: Schema,
  random: Random,
): number {
  const low = Math.ceil(minimum / multipleOf) + (exclusiveMinimum === true ? 1 : 0);
  const high = Math.max(low, Math.floor(Math.min(maximum, minimum + 100) / multipleOf));
  return (low + Math.floor(random() * (high - low))) * multipleOf;
}

function text({ minLength = 0, maxLength = 1000, pattern, format }: Schema, random: Random): string {
  const check = format === undefined ? undefined : formatCheck(format);
  const candidates = pattern === undefined || pattern === '' ? texts : textsFor(pattern);
  const fitting = candidates.filter(
    (each) => Array.from(each).length >= minLength && Array.from(each).length <= maxLength && (check?.(each) ?? true),
  );
  return fitting.length > 0 ? pick(fitting, random) : 'x'.repeat(Math.max(1, minLength));
}

/** Returns the keywords that can be broken in a value, but not in its name and its kind. */
export function sitesOf(schema: Schema, value: unknown, path: Site['path'] = []): readonly Site[] {
  const found: Site[] = [];
  const add = (keyword: string): number => found.push({ keyword, path, schema, value });
  for (const keyword of keywords) {
    const stated = schema[keyword as 'type'] as unknown;
    if (stated !== undefined && stated !== false && path.length > 0) add(keyword);
  }
  if (schema.nullable === true && path.length > 0) add('null');
  if (path.length > 0) add('null');
  const { properties = {}, additionalProperties, items } = schema;
  if (Array.isArray(value)) {
    return [...found, ...(items ? value.flatMap((item, index) => sitesOf(items, item, [...path, index])) : [])];
  }
  if (typeof value !== 'object' || value === null) return found;
  add('unknown field');
  if (Object.values(properties).some((property) => property.default !== undefined)) add('default');
  for (const [name, child] of Object.entries(value)) {
    if (path.length === 0 && ['apiVersion', 'kind', 'metadata'].includes(name)) continue;
    const property = properties[name] ?? additionalProperties;
    if (typeof property === 'object') found.push(...sitesOf(property, child, [...path, name]));
  }
  return found;
}

const keywords = [
  ...['type', 'required', 'enum', 'minimum', 'maximum', 'multipleOf', 'minLength', 'maxLength', 'pattern', 'format'],
  ...[
    'minItems',
    'maxItems',
    'minProperties',
    'maxProperties',
    'additionalProperties',
    'anyOf',
    'oneOf',
    'allOf',
    'not',
  ],
  ...['x-kubernetes-int-or-string', 'x-kubernetes-list-type', 'x-kubernetes-embedded-resource', 'uniqueItems'],
];

const anyValues = [
  'text',
  '',
  7,
  -1,
  2 ** 40,
  1.5,
  1e19,
  true,
  null,
  {},
  { a: 1 },
  [],
  ['x'],
  [{}],
  [null],
  9007199254740991,
];

/** Returns a value that probably breaks a keyword; `undefined` to remove the field. */
export function brokenValue({ keyword, schema, value }: Site, random: Random): unknown {
  const { minLength = 0, maxLength = 5, minItems = 0, maxItems = 3, maxProperties = 3, multipleOf = 1 } = schema;
  const object = { ...(value as object) } as Record<string, unknown>;
  const list = Array.isArray(value) ? (value as readonly unknown[]) : [];
  const letter = pick(['x', '\u{1f600}', 'ä'], random);
  switch (keyword) {
    case 'null':
      return null;
    case 'required':
      Reflect.deleteProperty(object, pick(schema.required ?? [], random));
      return object;
    case 'enum':
      return pick(['other', 'Other', '', 1, 99, null, `${String(value)} `, true], random);
    case 'minimum':
      return pick([0, -1, 1, -0.5, 0.5], random) + (schema.minimum ?? 0);
    case 'maximum':
      return pick([0, 1, -1, 0.5, 1000, 2 ** 40], random) + (schema.maximum ?? 0);
    case 'multipleOf':
      return multipleOf * pick([1, 2, 1.5, 0.1, 7.25, -1], random);
    case 'minLength':
      return letter.repeat(Math.max(0, minLength - pick([0, 1, 2], random)));
    case 'maxLength':
      return letter.repeat(maxLength + pick([0, 1, 2], random));
    case 'pattern':
      return random() < 0.5 ? pick(texts, random) : `${String(value)}${pick(texts, random)}`;
    case 'format':
      return typeof value === 'string'
        ? pick(texts, random)
        : pick([2 ** 31, 2 ** 31 - 1, -(2 ** 31) - 1, 1e10, 1e19, 1.5, 2 ** 53], random);
    case 'minItems':
      return list.slice(0, Math.max(0, minItems - 1));
    case 'maxItems':
      return Array.from({ length: maxItems + pick([0, 1], random) }, () =>
        schema.items === undefined ? 1 : randomValue(schema.items, random, 5),
      );
    case 'minProperties':
      return {};
    case 'maxProperties':
      return Object.fromEntries(
        Array.from({ length: maxProperties + pick([0, 1], random) }, (_, index) => [
          `p${index}`,
          typeof schema.additionalProperties === 'object' ? randomValue(schema.additionalProperties, random, 5) : 1,
        ]),
      );
    case 'additionalProperties':
      return { ...object, added: pick(anyValues, random) };
    case 'uniqueItems':
    case 'x-kubernetes-list-type':
      return [...list, ...list.slice(0, 1), ...(random() < 0.3 ? list : []), ...(random() < 0.1 ? [{}, {}] : [])];
    case 'x-kubernetes-embedded-resource':
      return {
        ...object,
        ...pick([{ kind: 'a b' }, { kind: '' }, { apiVersion: '' }, { apiVersion: 'a/b/c' }, { kind: 'Ok' }], random),
      };
    case 'unknown field':
      return { ...object, unknownField: pick(anyValues, random) };
    case 'default': {
      for (const [name, property] of Object.entries(schema.properties ?? {}))
        if (property.default !== undefined) object[name] = random() < 0.5 ? null : undefined;
      return JSON.parse(JSON.stringify(object)) as unknown;
    }
    default:
      return pick([...anyValues, ...texts.slice(0, 8)], random);
  }
}

/** Returns the object with another value at a path. */
export function withValue(object: unknown, [step, ...rest]: Site['path'], value: unknown): unknown {
  if (step === undefined) return value;
  if (Array.isArray(object)) return object.with(Number(step), withValue(object[Number(step)], rest, value));
  return { ...(object as object), [step]: withValue((object as Record<string, unknown>)[step], rest, value) };
}
