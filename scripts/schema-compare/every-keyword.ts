import type { Schema } from '../../src/testing/api-server/resources/catalog.js';
import type { Definition } from './compare-definition.js';

const formats = [
  ...[
    'bsonobjectid',
    'uri',
    'email',
    'hostname',
    'ipv4',
    'ipv6',
    'cidr',
    'mac',
    'uuid',
    'uuid3',
    'uuid4',
    'uuid5',
    'isbn',
  ],
  ...[
    'isbn10',
    'isbn13',
    'creditcard',
    'ssn',
    'hexcolor',
    'rgbcolor',
    'byte',
    'password',
    'date',
    'duration',
    'date-time',
  ],
  ...['k8s-short-name', 'k8s-long-name', 'unknown-format'],
];

const patterns = [
  ...[
    '^(?i)(abort|warn)?$',
    '^((?i)sun|mon)day$',
    '\\A[[:alpha:]_]+\\z',
    '^[\\w-.]+$',
    '(?m)^a$',
    '(?s)^a.b$',
    'a.b',
    '^\\x60+$',
  ],
  ...[
    '^\\pL+$',
    '^[^\\d\\s]{2,3}$',
    '^(?P<name>a|b)+$',
    '\\bword\\b',
    '^[]a]+$',
    '^\\Q.*\\E$',
    '^(?i:k|s)+$',
    '^{a}$',
    '^[[:^digit:]]+$',
  ],
];

const text: Schema = { type: 'string' };
const properties: Record<string, Schema> = {
  ...Object.fromEntries(formats.map((format) => [`format-${format}`, { type: 'string', format }])),
  ...Object.fromEntries(patterns.map((pattern, index) => [`pattern${index}`, { type: 'string', pattern }])),
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  float: { type: 'number', format: 'float' },
  double: { type: 'number', format: 'double', minimum: 0.5, maximum: 10.25 },
  open: { type: 'integer', minimum: 1, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: true },
  even: { type: 'integer', multipleOf: 2 },
  quarters: { type: 'number', multipleOf: 0.25 },
  tenths: { type: 'number', multipleOf: 0.1 },
  short: { type: 'string', minLength: 2, maxLength: 4 },
  one: { type: 'string', maxLength: 1 },
  level: { type: 'string', enum: ['low', 'high', ''], default: 'low' },
  number: { type: 'integer', enum: [1, 2, 3] },
  maybe: { type: 'string', nullable: true },
  maybeDefault: { type: 'string', nullable: true, default: 'x' },
  port: { 'x-kubernetes-int-or-string': true },
  quantity: {
    'x-kubernetes-int-or-string': true,
    anyOf: [{ type: 'integer' }, { type: 'string' }],
    pattern: '^[0-9]+(m|Mi)?$',
  },
  few: { type: 'array', minItems: 1, maxItems: 2, items: { type: 'integer', minimum: 0 } },
  set: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
  map: {
    type: 'array',
    items: {
      type: 'object',
      required: ['name'],
      properties: { name: text, port: { type: 'integer', default: 80 }, note: { type: 'string', maxLength: 3 } },
    },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
  },
  map2: {
    type: 'array',
    items: {
      type: 'object',
      required: ['port', 'protocol'],
      properties: {
        port: { type: 'integer' },
        protocol: { type: 'string', default: 'TCP', enum: ['TCP', 'UDP'] },
        size: { type: 'integer', maximum: 3 },
      },
    },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['port', 'protocol'],
  },
  labels: {
    type: 'object',
    additionalProperties: { type: 'string', maxLength: 3 },
    minProperties: 1,
    maxProperties: 2,
  },
  counts: { type: 'object', additionalProperties: { type: 'integer', nullable: true, minimum: 0 } },
  nested: {
    type: 'object',
    default: {},
    properties: {
      a: { type: 'integer', default: 1 },
      b: { type: 'object', properties: { c: { type: 'boolean', default: true }, d: text } },
    },
  },
  any: {
    type: 'object',
    properties: { a: text, b: text, c: { type: 'integer' } },
    anyOf: [{ required: ['a'] }, { required: ['b'], properties: { c: { minimum: 5 } } }],
  },
  oneOf: { type: 'object', properties: { a: text, b: text }, oneOf: [{ required: ['a'] }, { required: ['b'] }] },
  all: { type: 'string', allOf: [{ minLength: 2 }, { pattern: '^a' }] },
  not: { type: 'string', not: { pattern: '^bad' } },
  notEnum: { type: 'object', properties: { a: text }, not: { required: ['a'] } },
  embedded: {
    type: 'object',
    'x-kubernetes-embedded-resource': true,
    'x-kubernetes-preserve-unknown-fields': true,
    properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
  },
  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { known: { type: 'integer' } } },
  matrix: { type: 'array', maxItems: 2, items: { type: 'array', maxItems: 2, items: { type: 'boolean' } } },
};

/** A definition with every keyword that a CustomResourceDefinition may use. */
export const everyKeyword: Definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'keywords.schema.example.com' },
  spec: {
    group: 'schema.example.com',
    scope: 'Namespaced',
    names: { plural: 'keywords', singular: 'keyword', kind: 'Keyword', listKind: 'KeywordList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
        },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            required: ['spec'],
            properties: {
              spec: { type: 'object', properties: { ...properties, replicas: { type: 'integer' } } },
              status: {
                type: 'object',
                required: ['phase'],
                properties: {
                  ...properties,
                  replicas: { type: 'integer' },
                  phase: { type: 'string', enum: ['On', 'Off'], default: 'On' },
                },
              },
            },
          },
        },
      },
    ],
  },
};
