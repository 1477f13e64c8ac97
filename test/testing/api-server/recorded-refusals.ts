/**
 * Values that a schema refuses, with the causes in the answer of a Kubernetes 1.36 API server:
 * reason without `FieldValue`, field, message.
 */
export const recordedRefusals: readonly (readonly [
  sentence: string,
  schema: object,
  value: unknown,
  causes: readonly (readonly [reason: string, field: string, message: string])[],
])[] = [
  [
    'refuses a value of another type',
    { type: 'integer' },
    'three',
    [['TypeInvalid', 'spec.value', 'Invalid value: "string": spec.value in body must be of type integer: "string"']],
  ],
  [
    'refuses a number with a fraction for an integer',
    { type: 'integer' },
    1.5,
    [
      ['TypeInvalid', 'spec.value', 'Invalid value: "number": spec.value in body must be of type integer: "number"'],
      ['Invalid', '<nil>', 'Invalid value: "": Checked value must be of type integer (default format) in spec.value'],
    ],
  ],
  [
    'refuses another type by the name of the format',
    { type: 'integer', format: 'int32' },
    true,
    [['TypeInvalid', 'spec.value', 'Invalid value: "": spec.value in body must be of type int32: ""']],
  ],
  [
    'refuses an integer beyond the range of its format',
    { type: 'integer', format: 'int32' },
    2147483648,
    [['Invalid', '<nil>', 'Invalid value: "": Checked value must be of type integer with format int32 in spec.value']],
  ],
  [
    'refuses an integer beyond 64 bits',
    { type: 'integer' },
    10000000000000000000,
    [
      ['TypeInvalid', 'spec.value', 'Invalid value: "number": spec.value in body must be of type integer: "number"'],
      ['Invalid', '<nil>', 'Invalid value: "": Checked value must be of type integer (default format) in spec.value'],
    ],
  ],
  [
    'refuses null in a list',
    { type: 'array', items: { type: 'string' } },
    ['a', null],
    [['TypeInvalid', 'spec.value[1]', 'Invalid value: "null": spec.value[1] in body must be of type string: "null"']],
  ],
  [
    'refuses an object without a required field',
    { type: 'object', required: ['a'], properties: { a: { type: 'string' } } },
    {},
    [['Required', 'spec.value.a', 'Required value']],
  ],
  [
    'refuses a value that is not in the enum',
    { type: 'string', enum: ['low', 'high'] },
    'medium',
    [['NotSupported', 'spec.value', 'Unsupported value: "medium": supported values: "low", "high"']],
  ],
  [
    'refuses a number that is not in the enum',
    { type: 'integer', enum: [1, 2] },
    3,
    [['NotSupported', 'spec.value', 'Unsupported value: 3: supported values: "1", "2"']],
  ],
  [
    'refuses a number below the minimum',
    { type: 'integer', minimum: 1 },
    0,
    [['Invalid', 'spec.value', 'Invalid value: 0: spec.value in body should be greater than or equal to 1']],
  ],
  [
    'refuses a number above the maximum',
    { type: 'number', maximum: 1000000 },
    1000000.5,
    [
      [
        'Invalid',
        'spec.value',
        'Invalid value: 1.0000005e+06: spec.value in body should be less than or equal to 1e+06',
      ],
    ],
  ],
  [
    'refuses a number equal to an exclusive minimum',
    { type: 'integer', minimum: 1, exclusiveMinimum: true },
    1,
    [['Invalid', 'spec.value', 'Invalid value: 1: spec.value in body should be greater than 1']],
  ],
  [
    'refuses a number equal to an exclusive maximum',
    { type: 'number', maximum: 2.5, exclusiveMaximum: true },
    2.5,
    [['Invalid', 'spec.value', 'Invalid value: 2.5: spec.value in body should be less than 2.5']],
  ],
  [
    'refuses a number that is not a multiple',
    { type: 'integer', multipleOf: 5 },
    7,
    [['Invalid', 'spec.value', 'Invalid value: 7: spec.value in body should be a multiple of 5']],
  ],
  [
    'refuses a short text, with the text in quotes of Go',
    { type: 'string', minLength: 5 },
    'a"\n😀',
    [['Invalid', 'spec.value', 'Invalid value: "a\\"\\n😀": spec.value in body should be at least 5 chars long']],
  ],
  [
    'refuses a long text, counted in code points',
    { type: 'string', maxLength: 2 },
    '😀😀😀',
    [['TooLong', 'spec.value', 'Too long: may not be more than 2 bytes']],
  ],
  [
    'refuses a text that does not match a pattern',
    { type: 'string', pattern: '^[a-z]+$' },
    'A1',
    [['Invalid', 'spec.value', 'Invalid value: "A1": spec.value in body should match \'^[a-z]+$\'']],
  ],
  [
    'refuses a text that does not match a pattern with flags of Go',
    { type: 'string', pattern: '^(?i)(abort|warn)?$' },
    'stop',
    [['Invalid', 'spec.value', 'Invalid value: "stop": spec.value in body should match \'^(?i)(abort|warn)?$\'']],
  ],
  [
    'refuses a text that does not have the format',
    { type: 'string', format: 'date-time' },
    'yesterday',
    [
      [
        'TypeInvalid',
        'spec.value',
        'Invalid value: "yesterday": spec.value in body must be of type date-time: "yesterday"',
      ],
    ],
  ],
  [
    'refuses a list with too few items',
    { type: 'array', minItems: 1, items: { type: 'string' } },
    [],
    [['Invalid', 'spec.value', 'Invalid value: 0: spec.value in body should have at least 1 items']],
  ],
  [
    'refuses a list with too many items',
    { type: 'array', maxItems: 1, items: { type: 'string' } },
    ['a', 'b'],
    [['TooMany', 'spec.value', 'Too many: 2: must have at most 1 item']],
  ],
  [
    'refuses a map with too few entries',
    { type: 'object', minProperties: 1, additionalProperties: { type: 'string' } },
    {},
    [['Invalid', 'spec.value', 'Invalid value: 0: spec.value in body should have at least 1 properties']],
  ],
  [
    'refuses a map with too many entries',
    { type: 'object', maxProperties: 1, additionalProperties: { type: 'string' } },
    { a: '', b: '' },
    [['TooMany', 'spec.value', 'Too many: 2: must have at most 1 item']],
  ],
  [
    'refuses an entry of a map',
    { type: 'object', additionalProperties: { type: 'integer' } },
    { 'a.b/c': '1' },
    [
      [
        'TypeInvalid',
        'spec.value.a.b/c',
        'Invalid value: "string": spec.value.a.b/c in body must be of type integer: "string"',
      ],
    ],
  ],
  [
    'refuses what is neither an integer nor a text',
    { 'x-kubernetes-int-or-string': true },
    true,
    [
      [
        'TypeInvalid',
        'spec.value',
        'Invalid value: "boolean": spec.value in body must be of type integer,string: "boolean"',
      ],
    ],
  ],
  [
    'refuses a repeated item of a set',
    { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
    ['a', 'b', 'a', 'a'],
    [['Duplicate', 'spec.value[2]', 'Duplicate value: "a"']],
  ],
  [
    'refuses a repeated key of a map',
    {
      type: 'array',
      items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    },
    [{ name: '<a>' }, { name: '<a>' }],
    [['Duplicate', 'spec.value[1]', 'Duplicate value: {"name":"\\u003ca\\u003e"}']],
  ],
  [
    'refuses a value that fits none of the schemas of anyOf',
    {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      anyOf: [{ required: ['a'] }, { required: ['b'] }],
    },
    {},
    [
      ['Invalid', '<nil>', 'Invalid value: "": "spec.value" must validate at least one schema (anyOf)'],
      ['Required', 'spec.value.a', 'Required value'],
    ],
  ],
  [
    'refuses a value that fits two of the schemas of oneOf',
    {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      oneOf: [{ required: ['a'] }, { required: ['b'] }],
    },
    { a: '', b: '' },
    [
      [
        'Invalid',
        '<nil>',
        'Invalid value: "": "spec.value" must validate one and only one schema (oneOf). Found 2 valid alternatives',
      ],
    ],
  ],
  [
    'refuses a value that does not fit all schemas of allOf',
    { type: 'string', allOf: [{ minLength: 3 }, { pattern: '^a' }] },
    'ab',
    [
      ['Invalid', 'spec.value', 'Invalid value: "ab": spec.value in body should be at least 3 chars long'],
      ['Invalid', '<nil>', 'Invalid value: "": "spec.value" must validate all the schemas (allOf)'],
    ],
  ],
  [
    'refuses a value that fits the schema of not',
    { type: 'string', not: { pattern: '^bad' } },
    'bad',
    [['Invalid', '<nil>', 'Invalid value: "": "spec.value" must not validate the schema (not)']],
  ],
  [
    'refuses an embedded object without a kind',
    { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    { apiVersion: 'v1' },
    [['Required', 'spec.value.kind', 'Required value']],
  ],
];
