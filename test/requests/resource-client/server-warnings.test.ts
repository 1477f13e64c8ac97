import fc from 'fast-check';
import { configMaps, informer, listWatch, pods, type KubeClient } from 'rx-informers';
import type { ResponsePart } from 'rx-informers/client';
import { controller, type LogFields, type Logger } from 'rx-informers/controller';
import { resourceClient } from 'rx-informers/requests';
import { createInMemoryApiServer } from 'rx-informers/testing';
import { firstValueFrom, filter, of } from 'rxjs';
import { parseWarnings } from '../../../src/requests/resource-client/server-warnings.js';

/** A header as an API server writes it: the bytes of the text, escaped and quoted. */
const format = (texts: readonly string[]): string =>
  texts.map((text) => `299 - "${asBytes(text).replace(/["\\]/g, '\\$&')}"`).join(', ');
const asBytes = (text: string): string => String.fromCharCode(...new TextEncoder().encode(text));

describe('the Warning header of an API server', () => {
  it.each([
    ['299 - "a"', ['a']],
    ['299 - "unknown field \\"spec.quotaa\\""', ['unknown field "spec.quotaa"']],
    ['299 - "a", 299 - "b"', ['a', 'b']],
    ['299 - "a",299 - "b"', ['a', 'b']],
    ['299 - "a, 299 - b"', ['a, 299 - b']],
    ['299 kubernetes/1.36 "a" "Sat, 25 Aug 2012 23:34:45 GMT", 299 - "b"', ['a', 'b']],
    ['299 - "C:\\\\temp\\\\"', ['C:\\temp\\']],
    ['299 - "caf\u00c3\u00a9"', ['café']],
    ['299 - "caf\u00e9"', ['café']],
    ['299 - "日本"', ['日本']],
    ['110 - "stale", 299 - "a"', ['a']],
    ['299 - ""', []],
    ['299 - "a', []],
    ['299 - "a" b, 299 - "c"', []],
    ['299 - "a", nonsense, 299 - "c"', ['a']],
    ['', []],
  ])('parses the Warning header %s into the texts %j', (header, texts) => {
    expect(parseWarnings(header)).toEqual(texts);
  });

  it('returns the texts that were formatted into it, with any characters', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1 }),
      fc.string({ unit: fc.constantFrom('"', '\\', ',', ' ', '2', '9', '-', 'é'), minLength: 1 }),
    );
    fc.assert(
      fc.property(fc.array(text), (texts) => {
        expect(parseWarnings(format(texts))).toEqual(texts);
      }),
    );
  });
});

const lineTo = 'the API server answered with a warning';

function logged() {
  const lines: LogFields[] = [];
  const ignore = (): void => undefined;
  const logger: Logger = {
    debug: ignore,
    info: ignore,
    error: ignore,
    warn: (fields, message) => {
      if (message === lineTo) lines.push(fields);
    },
  };
  return { lines, logger };
}

/** A server that answers each request with these warnings. */
function warning(texts: () => readonly string[]): KubeClient {
  const bytes = new TextEncoder().encode('{"metadata":{"name":"a"}}');
  return {
    exchange: () =>
      of<ResponsePart[]>(
        { type: 'head', status: 200, headers: { warning: format(texts()) } },
        { type: 'bytes', bytes },
      ),
  };
}

const settings = { metadata: { namespace: 'default', name: 'a' }, dta: { mode: 'dark' } } as const;

describe('a ResourceClient with a logger', () => {
  it('logs the warnings of the API server with the request and the resource', async () => {
    const { lines, logger } = logged();
    const server = createInMemoryApiServer();
    await resourceClient(server.client, configMaps, { logger }).create(settings);
    expect(lines).toEqual([
      {
        warning: 'unknown field "dta"',
        resource: 'configmaps',
        request: 'POST /api/v1/namespaces/default/configmaps',
      },
    ]);
  });

  it('logs each text once for each resource, also over other connections', async () => {
    const { lines, logger } = logged();
    const client = warning(() => ['old', 'older']);
    const first = resourceClient(client, configMaps, { logger });
    await first.get('default/a');
    await first.via(warning(() => ['old', 'oldest'])).get('default/b');
    await resourceClient(client, pods, { logger }).get('default/a');
    expect(lines.map(({ warning: text, resource }) => `${String(resource)}: ${String(text)}`)).toEqual([
      'configmaps: old',
      'configmaps: older',
      'configmaps: oldest',
      'pods: old',
      'pods: older',
    ]);
  });

  it('forgets the oldest of many texts, so its memory is bounded', async () => {
    const { lines, logger } = logged();
    let number = 0;
    const client = resourceClient(
      warning(() => [`warning ${number}`]),
      configMaps,
      { logger },
    );
    for (; number < 300; number++) await client.get('default/a');
    number = 299;
    await client.get('default/a');
    expect(lines).toHaveLength(300);
    number = 0;
    await client.get('default/a');
    expect(lines).toHaveLength(301);
  });

  it('returns the response even if its logger throws', async () => {
    const { logger } = logged();
    const warn = (): never => {
      throw new Error('disk full');
    };
    const client = resourceClient(
      warning(() => ['old']),
      configMaps,
      { logger: { ...logger, warn } },
    );
    expect(await client.get('default/a')).toEqual({ metadata: { name: 'a' } });
  });
});

it("a controller with client and logger logs the API server's warnings about its runs, once each, with the key", async () => {
  const { lines, logger } = logged();
  const server = createInMemoryApiServer();
  for (const name of ['a', 'b']) server.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
  const copies = resourceClient(server.client, configMaps, { logger });
  const reconciled$ = controller({
    name: 'copies',
    for: informer(listWatch(server.client, configMaps, { namespace: 'default' })),
    client: server.client,
    logger,
    concurrency: 1,
    reconcile: async ({ object, client }) => {
      if (object) await copies.via(client).patch(object, { dta: {} });
    },
  }).pipe(filter(({ type, ...event }) => type === 'succeeded' && 'key' in event && event.key === 'default/b'));
  await firstValueFrom(reconciled$);
  server.stop();
  expect(lines).toEqual([
    {
      controller: 'copies',
      key: 'default/a',
      reconcileID: expect.any(String) as string,
      warning: 'unknown field "dta"',
      resource: 'configmaps',
      request: 'PATCH /api/v1/namespaces/default/configmaps/a',
    },
  ]);
});
