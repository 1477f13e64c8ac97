import { jest } from '@jest/globals';
import { isRxInformersError } from 'rx-informers';
import { createInMemoryApiServer, type InMemoryApiServer } from 'rx-informers/testing';
import { lastValueFrom, reduce } from 'rxjs';
import { goPattern } from '../../../src/testing/api-server/schema/go-pattern.js';
import { recordedRefusals } from './recorded-refusals.js';

interface Reply {
  readonly status: number;
  readonly body: {
    readonly message?: string;
    readonly details?: { readonly causes?: readonly Readonly<Record<'reason' | 'field' | 'message', string>>[] };
    readonly metadata?: object;
    readonly spec?: Readonly<Record<string, unknown>>;
    readonly items?: readonly Reply['body'][];
  };
}

const text = { type: 'string' };
const gadgets = '/apis/example.com/v1/namespaces/default/gadgets';

const definition = (spec: object, others: object = {}, rules: object = {}): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gadgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'gadgets', kind: 'Gadget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: spec, ...rules },
              status: { type: 'object', properties: { count: { type: 'integer', minimum: 1 } } },
            },
          },
        },
        ...others,
      },
    ],
  },
});

const gadget = (spec?: unknown, metadata: object = {}): object => ({
  apiVersion: 'example.com/v1',
  kind: 'Gadget',
  metadata: { name: 'a', ...metadata },
  ...(spec === undefined ? {} : { spec }),
});

let server: InMemoryApiServer;
beforeEach(() => {
  server = createInMemoryApiServer();
});
afterEach(() => server.stop());

async function send(
  method: 'GET' | 'POST' | 'PUT' | 'PATCH',
  path: string,
  body?: object,
  contentType = 'application/merge-patch+json',
): Promise<Reply> {
  const [address = '', search = ''] = path.split('?');
  const exchange = server.client.exchange({
    method,
    path: address,
    query: Object.fromEntries(new URLSearchParams(search)),
    headers: method === 'PATCH' ? { 'content-type': contentType } : {},
    body: JSON.stringify(body),
  });
  try {
    const answer = exchange.pipe(
      reduce(
        (sum, part) =>
          part.type === 'head'
            ? { ...sum, status: part.status }
            : { ...sum, body: sum.body + Buffer.from(part.bytes).toString() },
        { status: 0, body: '' },
      ),
    );
    const { status, body: received } = await lastValueFrom(answer);
    return { status, body: JSON.parse(received) as Reply['body'] };
  } catch (error) {
    if (!isRxInformersError(error, 'RXI_STATUS')) throw error;
    return { status: error.statusCode, body: error.status as Reply['body'] };
  }
}

const create = (spec: unknown): Promise<Reply> => send('POST', gadgets, gadget(spec));

const causes = ({ body }: Reply): readonly (readonly string[])[] =>
  (body.details?.causes ?? []).map(({ reason, field, message }) => [reason.replace('FieldValue', ''), field, message]);

describe('the schema of a custom resource, with the words of the real server,', () => {
  it.each(recordedRefusals)('%s', async (_sentence, schema, value, expected) => {
    server.apply(definition({ value: schema }));
    const refused = await create({ value });
    expect(refused.status).toBe(422);
    expect(causes(refused).toSorted()).toEqual(expected.toSorted());
    expect(server.objects.list({ group: 'example.com', plural: 'gadgets' })).toEqual([]);
  });

  it('is reported together with the metadata, in one message', async () => {
    server.apply(definition({ size: { type: 'integer', minimum: 1 } }));
    const { body } = await send('POST', gadgets, gadget({ size: 0 }, { labels: { 'a b': '' } }));
    expect(body.message).toMatch(
      /^Gadget\.example\.com "a" is invalid: \[metadata\.labels: .*, spec\.size: Invalid value: 0: spec\.size in body should be greater than or equal to 1\]$/,
    );
  });

  it('is checked in dry runs, updates, patches and applies', async () => {
    server.apply(definition({ size: { type: 'integer', minimum: 1 } }));
    const refusal = [
      ['Invalid', 'spec.size', 'Invalid value: 0: spec.size in body should be greater than or equal to 1'],
    ];
    expect(causes(await send('POST', `${gadgets}?dryRun=All`, gadget({ size: 0 })))).toEqual(refusal);
    const { body } = await create({ size: 1 });
    expect(causes(await send('PUT', `${gadgets}/a`, { ...body, spec: { size: 0 } }))).toEqual(refusal);
    expect(causes(await send('PATCH', `${gadgets}/a`, { spec: { size: 0 } }))).toEqual(refusal);
    const apply = (name: string): Promise<Reply> =>
      send(
        'PATCH',
        `${gadgets}/${name}?fieldManager=m&force=true`,
        gadget({ size: 0 }, { name }),
        'application/apply-patch+yaml',
      );
    expect(causes(await apply('a'))).toEqual(refusal);
    expect(causes(await apply('new'))).toEqual(refusal);
    expect((await send('GET', `${gadgets}/a`)).body.spec).toEqual({ size: 1 });
  });

  it('checks only the status in an update of the status, and names its fields from there', async () => {
    server.apply([definition({ size: { type: 'integer', minimum: 1 } }), gadget({ size: 0 })]);
    expect(causes(await send('PATCH', `${gadgets}/a/status`, { status: { count: 0 } }))).toEqual([
      ['Invalid', 'status.count', 'Invalid value: 0: count in body should be greater than or equal to 1'],
    ]);
    expect((await send('PATCH', `${gadgets}/a/status`, { status: { count: 1 } })).status).toBe(200);
  });

  it('accepts an invalid value that an update leaves unchanged', async () => {
    const schema = {
      size: { type: 'integer', minimum: 1 },
      note: text,
      list: { type: 'array', maxItems: 1, items: text },
    };
    server.apply([definition(schema), gadget({ size: 0, note: '', list: ['a', 'b'] })]);
    expect((await send('PATCH', `${gadgets}/a`, { spec: { note: 'x' } })).status).toBe(200);
    expect(causes(await send('PATCH', `${gadgets}/a`, { spec: { size: -1 } }))).toEqual([
      ['Invalid', 'spec.size', 'Invalid value: -1: spec.size in body should be greater than or equal to 1'],
    ]);
    expect((await send('PATCH', `${gadgets}/a`, { spec: { list: ['b', 'a'] } })).status).toBe(422);
  });

  it('accepts integers of 64 bits', async () => {
    server.apply(definition({ size: { type: 'integer', format: 'int64' } }));
    expect((await create({ size: 2 ** 53 + 2 })).status).toBe(201);
    expect((await create({ size: 2 ** 64 })).status).toBe(422);
  });

  it('leaves objects alone whose definition has no schema', async () => {
    server.apply(definition({}, { schema: undefined }));
    expect((await create({ anything: [null, 1.5, {}] })).body.spec).toEqual({ anything: [null, 1.5, {}] });
  });

  it('is not applied to objects that the test itself stores', () => {
    server.apply([definition({ size: { type: 'integer' } }), gadget({ size: 'large' })]);
    expect(server.objects.get({ group: 'example.com', plural: 'gadgets' }, 'a', 'default')).toMatchObject({
      spec: { size: 'large' },
    });
  });
});

describe('the defaults of a custom resource', () => {
  const nested = { type: 'object', default: {}, properties: { a: { type: 'integer', default: 1 } } };

  it('are stored, also inside of a default', async () => {
    server.apply(definition({ level: { type: 'string', default: 'low' }, nested }));
    expect((await create({})).body.spec).toEqual({ level: 'low', nested: { a: 1 } });
    expect(server.objects.get({ group: 'example.com', plural: 'gadgets' }, 'a', 'default')).toMatchObject({
      spec: { level: 'low' },
    });
  });

  it('replace null; null without a default is dropped, unless the field is nullable', async () => {
    server.apply(
      definition({
        level: { type: 'string', default: 'low' },
        note: text,
        maybe: { type: 'string', nullable: true },
        labels: { type: 'object', additionalProperties: text },
      }),
    );
    const values = { level: null, note: null, maybe: null, labels: { a: null } };
    expect((await create(values)).body.spec).toEqual({ level: 'low', maybe: null, labels: {} });
    expect((await send('PATCH', `${gadgets}/a`, { spec: { level: null } })).body.spec?.['level']).toBe('low');
  });

  it('do not replace null in an apply without a default: it is refused', async () => {
    server.apply(definition({ level: { type: 'string', default: 'low' }, note: text }));
    const path = `${gadgets}/a?fieldManager=m`;
    const refused = await send('PATCH', path, gadget({ level: null, note: null }), 'application/apply-patch+yaml');
    expect(causes(refused)).toEqual([
      ['TypeInvalid', 'spec.note', 'Invalid value: "null": spec.note in body must be of type string: "null"'],
    ]);
  });

  it('that a definition gets later appear in older objects when they are read', async () => {
    server.apply([definition({}), gadget({})]);
    const { body: before } = await send('GET', `${gadgets}/a`);
    server.apply(definition({ level: { type: 'string', default: 'low' } }));
    const { body } = await send('GET', `${gadgets}/a`);
    expect(body.spec).toEqual({ level: 'low' });
    expect(body.metadata).toEqual(before.metadata);
    expect((await send('GET', gadgets)).body.items?.[0]?.spec).toEqual({ level: 'low' });
  });
});

describe('the rules of a definition in x-kubernetes-validations', () => {
  const rule = 'self.min <= self.max';
  const spec = { min: { type: 'integer' }, max: { type: 'integer' } };
  const rules = {
    'x-kubernetes-validations': [
      { rule, message: 'min must not exceed max', fieldPath: '.min', reason: 'FieldValueForbidden' },
      { rule: 'self.max >= oldSelf.max' },
    ],
  };
  let warnings: string[];
  let spy: jest.SpiedFunction<typeof console.warn>;
  beforeEach(() => {
    warnings = [];
    spy = jest.spyOn(console, 'warn').mockImplementation((line: string) => void warnings.push(line));
  });
  afterEach(() => spy.mockRestore());

  it('are not evaluated, which is reported once', async () => {
    for (let count = 0; count < 2; count++) {
      server.apply(definition(spec, {}, rules));
      await create({ min: 2, max: 1 });
    }
    expect(warnings).toEqual([
      expect.stringContaining(
        'gadgets.example.com has 2 rules in x-kubernetes-validations, which the embedded API server does not evaluate',
      ),
    ]);
    expect(server.objects.list({ group: 'example.com', plural: 'gadgets' })).toHaveLength(1);
  });

  it('are evaluated by functions, with message, reason and path of the rule', async () => {
    type Sizes = Readonly<Record<'min' | 'max', number>>;
    server.apply(definition(spec, {}, rules), {
      validations: {
        [rule]: ({ min, max }: Sizes) => min <= max,
        'self.max >= oldSelf.max': (self: Sizes, oldSelf: Sizes) => self.max >= oldSelf.max,
      },
    });
    expect(causes(await create({ min: 2, max: 1 }))).toEqual([
      ['Forbidden', 'spec.min', 'Forbidden: min must not exceed max'],
    ]);
    expect((await create({ min: 1, max: 5 })).status).toBe(201);
    expect(causes(await send('PATCH', `${gadgets}/a`, { spec: { max: 4 } }))).toEqual([
      ['Invalid', 'spec', 'Invalid value: failed rule: self.max >= oldSelf.max'],
    ]);
    expect(warnings).toEqual([]);
  });

  it('are not evaluated for an object of wrong types, which is a cause of its own', async () => {
    server.apply(definition(spec, {}, rules), { validations: {} });
    expect(causes(await create({ min: 'x' }))).toContainEqual([
      'Invalid',
      '<nil>',
      'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    ]);
  });

  it('must exist if they have a function', () => {
    const validations = { 'self.mim <= self.max': () => true };
    expect(() => server.apply(definition(spec, {}, rules), { validations })).toThrow(/self\.mim/);
  });
});

describe('a pattern of Go', () => {
  it.each([
    ['^(?i)(abort|warn)?$', ['WARN', ''], ['warns']],
    ['^((?i)sun|mon)day$', ['MONday'], ['monDAY']],
    ['\\A[[:alpha:]_]+\\z', ['a_B'], ['a1', 'a\n']],
    ['^[\\w-.]+$', ['a-.'], ['ä']],
    ['(?m)^a$', ['b\na\nc'], ['ba']],
    ['(?s)a.b', ['a\nb'], ['ab']],
    ['a.b', ['xa\u{1f600}b'], ['a\nb']],
    ['^[^]a\\d]$', ['b'], [']', 'a', '7']],
    ['^\\x60\\x{41}\\pL$', ['`Aä'], ['`A1']],
    ['^\\Q.*\\E$', ['.*'], ['ab']],
    ['^(?i:k)$', ['\u212a', 'K'], ['x']],
    ['^(?P<name>a|b){2,3}$', ['ab', 'aba'], ['a', 'abab']],
    ['^{a}$', ['{a}'], ['a']],
    ['\\bword\\b', ['a word'], ['words']],
  ])('%s matches as in Go', (pattern, matching, others) => {
    const test = goPattern(pattern);
    expect(matching.map((each) => test?.(each))).toEqual(matching.map(() => true));
    expect(others.map((each) => test?.(each))).toEqual(others.map(() => false));
  });

  it('needs time in proportion to the text', () => {
    expect(goPattern('^[!-~]+([\\t ]?[!-~]+)*$')?.(`${'a'.repeat(10_000)} ä`)).toBe(false);
  });

  it('that is not understood is reported, not skipped in silence', async () => {
    const warn = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
    server.apply(definition({ value: { type: 'string', pattern: '\\Cx' } }));
    expect((await create({ value: 'x' })).status).toBe(201);
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('the pattern \\Cx'));
    warn.mockRestore();
  });
});
