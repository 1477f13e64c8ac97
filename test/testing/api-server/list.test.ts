import { configMap, configMaps, get, names, post, useApiServer, type Json } from './http.js';

describe('LIST of the embedded API server', () => {
  const server = useApiServer();
  beforeEach(() => {
    server().apply(['a', 'b', 'c', 'd', 'e'].map((name) => configMap(name, { app: name < 'c' ? 'first' : 'last' })));
  });
  const version = (): number => Number(server().resourceVersion);
  const metadata = (body: Json): Json => body['metadata'] as Json;

  it('returns a typed list at the current version, with items without kind', async () => {
    const { status, body } = await get(server(), configMaps);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      kind: 'ConfigMapList',
      apiVersion: 'v1',
      metadata: { resourceVersion: server().resourceVersion },
    });
    expect(names(body)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(Object.keys(body['items']?.[0] as Json)).toEqual(['metadata']);
  });

  it('returns all pages at one version, despite writes between the pages', async () => {
    const first = (await get(server(), `${configMaps}?limit=2`)).body;
    expect(names(first)).toEqual(['a', 'b']);
    expect(metadata(first)).toMatchObject({ remainingItemCount: 3 });
    await post(server(), configMaps, configMap('bb'));
    server().remove({ group: '', plural: 'configmaps' }, 'd', 'default');

    const second = (await get(server(), `${configMaps}?limit=2&continue=${String(metadata(first)['continue'])}`)).body;
    expect(names(second)).toEqual(['c', 'd']);
    expect(metadata(second)['resourceVersion']).toBe(metadata(first)['resourceVersion']);
    const third = (await get(server(), `${configMaps}?limit=2&continue=${String(metadata(second)['continue'])}`)).body;
    expect(names(third)).toEqual(['e']);
    expect(metadata(third)['continue']).toBeUndefined();
  });

  it('returns pages over several namespaces', async () => {
    server().apply({ ...configMap('z'), metadata: { name: 'z', namespace: 'another' } });
    const first = (await get(server(), '/api/v1/configmaps?limit=1')).body;
    expect(names(first)).toEqual(['z']);
    const rest = (await get(server(), `/api/v1/configmaps?continue=${String(metadata(first)['continue'])}`)).body;
    expect(names(rest)).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('returns no remaining item count with a selector', async () => {
    const { body } = await get(server(), `${configMaps}?limit=1&labelSelector=app%3Dlast`);
    expect(names(body)).toEqual(['c']);
    expect(metadata(body)['remainingItemCount']).toBeUndefined();
  });

  it('responds to an expired continue token with 410 and a token that continues inconsistently', async () => {
    const first = (await get(server(), `${configMaps}?limit=2`)).body;
    server().apply(configMap('cc'));
    server().compact();
    const gone = await get(server(), `${configMaps}?limit=2&continue=${String(metadata(first)['continue'])}`);
    expect(gone.status).toBe(410);
    expect(gone.body).toMatchObject({ kind: 'Status', reason: 'Expired', code: 410 });
    const rest = (await get(server(), `${configMaps}?continue=${String(metadata(gone.body)['continue'])}`)).body;
    expect(names(rest)).toEqual(['c', 'cc', 'd', 'e']);
  });

  it.each([
    ['', 'the current state', 'abcde'],
    ['resourceVersion=0', 'any state', 'abcde'],
    ['resourceVersion=0&limit=1', 'any state, from memory and therefore whole', 'abcde'],
    ['resourceVersion=0&resourceVersionMatch=NotOlderThan', 'any state', 'abcde'],
    ['resourceVersion=THEN', 'a state not older', 'abcde'],
    ['resourceVersion=THEN&resourceVersionMatch=NotOlderThan', 'a state not older', 'abcde'],
    ['resourceVersion=THEN&resourceVersionMatch=NotOlderThan&limit=9', 'a state not older', 'abcde'],
    ['resourceVersion=THEN&limit=9', 'exactly that state (as it was before resourceVersionMatch)', 'abcd'],
    ['resourceVersion=THEN&resourceVersionMatch=Exact', 'exactly that state', 'abcd'],
    ['resourceVersion=THEN&resourceVersionMatch=Exact&limit=2', 'a page of exactly that state', 'ab'],
  ])('with %s returns %s', async (query, _meaning, expected) => {
    const { status, body } = await get(server(), `${configMaps}?${query.replace('THEN', String(version() - 1))}`);
    expect(status).toBe(200);
    expect(names(body).join('')).toBe(expected);
  });

  it('returns 410 for an exact version that has been compacted', async () => {
    const then = version() - 1;
    server().compact();
    const { status, body } = await get(server(), `${configMaps}?resourceVersion=${then}&resourceVersionMatch=Exact`);
    expect(status).toBe(410);
    expect(body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'The resourceVersion for the provided list is too old.',
      reason: 'Expired',
      code: 410,
    });
    expect((await get(server(), `${configMaps}?resourceVersion=${then}`)).status).toBe(200);
  });

  it('waits for a version that is about to exist', async () => {
    const answer = get(server(), `${configMaps}?resourceVersion=${version() + 1}`);
    await new Promise<void>((resolve) => {
      const subscription = server().requests$.subscribe(() => {
        subscription.unsubscribe();
        resolve();
      });
    });
    server().apply(configMap('f'));
    expect(names((await answer).body)).toContain('f');
  });

  it.each([
    ['limit=x', 400, 'strconv.ParseInt: parsing "x": invalid syntax'],
    [
      'resourceVersion=x',
      400,
      'invalid resource version: resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
    ],
    [
      'resourceVersionMatch=Exact',
      422,
      'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
    ],
    [
      'resourceVersion=0&resourceVersionMatch=Exact',
      422,
      'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
    ],
    [
      'resourceVersion=1&resourceVersionMatch=Foo',
      422,
      'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Unsupported value: "Foo": supported values: "Exact", "NotOlderThan", ""',
    ],
    [
      'sendInitialEvents=true',
      422,
      'ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list',
    ],
    ['fieldSelector=foo%3Dbar', 400, '"foo" is not a known field selector: only "metadata.name", "metadata.namespace"'],
    ['fieldSelector=foo', 400, "invalid selector: 'foo'; can't understand 'foo'"],
  ])('refuses %s with %i and the message of the real server', async (query, code, message) => {
    const { status, body } = await get(server(), `${configMaps}?${query}`);
    expect(status).toBe(code);
    expect(body).toMatchObject({ kind: 'Status', status: 'Failure', code, message });
  });

  it('refuses an invalid continue token, and one together with a version', async () => {
    const garbage = await get(server(), `${configMaps}?continue=garbage`);
    expect(garbage.status).toBe(400);
    expect(String(garbage.body['message'])).toMatch(/^invalid continue token: continue key is not valid: /);
    const token = String(metadata((await get(server(), `${configMaps}?limit=1`)).body)['continue']);
    const both = await get(server(), `${configMaps}?limit=1&resourceVersion=${version()}&continue=${token}`);
    expect(both.status).toBe(400);
    expect(both.body['message']).toBe('specifying resource version is not allowed when using continue');
  });

  it('selects by fields: metadata for every kind, further fields by kind', async () => {
    expect(names((await get(server(), `${configMaps}?fieldSelector=metadata.name%3Db`)).body)).toEqual(['b']);
    expect(
      names((await get(server(), `${configMaps}?fieldSelector=metadata.name!%3Db,metadata.name!%3Dc`)).body),
    ).toEqual(['a', 'd', 'e']);
    server().apply([
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'p' },
        spec: { nodeName: 'n1' },
        status: { phase: 'Running' },
      },
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'q' },
        spec: { nodeName: 'n2' },
        status: { phase: 'Running' },
      },
    ]);
    expect(
      names((await get(server(), '/api/v1/pods?fieldSelector=spec.nodeName%3Dn2,status.phase%3DRunning')).body),
    ).toEqual(['q']);
    expect((await get(server(), '/api/v1/pods?fieldSelector=spec.foo%3Dbar')).body['message']).toBe(
      'field label not supported: spec.foo',
    );
  });

  it('returns only metadata on request', async () => {
    const accept = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
    const { body } = await get(server(), `${configMaps}?limit=1`, { accept });
    expect(body).toMatchObject({ kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' });
    expect(body['items']?.[0]).toMatchObject({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { name: 'a' },
    });
  });

  it('is compressed from 128 KiB on, for clients that accept gzip', async () => {
    const path = `${configMaps}?fieldSelector=metadata.name%3Dlarge`;
    server().apply(configMap('large', {}, { text: 'x'.repeat(128 * 1024) }));
    const large = await get(server(), path, { 'accept-encoding': 'br, gzip' });
    expect(large.headers.get('content-encoding')).toBe('gzip');
    expect(large.headers.get('vary')).toBe('Accept-Encoding');
    expect(names(large.body)).toEqual(['large']);

    const plain = await get(server(), path, { 'accept-encoding': 'br' });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(plain.body).toEqual(large.body);
    server().apply(configMap('large', {}, { text: 'x'.repeat(127 * 1024) }));
    expect((await get(server(), path)).headers.get('content-encoding')).toBeNull();
  });

  describe('without managedFields, for clients that ask with drop= (KEP-5958)', () => {
    beforeEach(() => post(server(), configMaps, { ...configMap('owned'), data: { key: 'value' } }));
    const drop = 'drop=metadata.managedFields';
    const objectIn = (body: Json): Json => body['items']?.[5] as Json;
    const path = `${configMaps}?resourceVersion=0`;

    it('returns lists and objects that lack nothing else', async () => {
      const whole = (await get(server(), path)).body;
      const { managedFields, ...metadataOf } = metadata(objectIn(whole)) as unknown as Record<string, Json>;
      expect(managedFields).toHaveLength(1);

      const accept = `application/json;${drop},application/json`;
      const lean = (await get(server(), path, { accept })).body;
      expect(lean).toEqual({ ...whole, items: [...(whole['items'] as unknown as Json[]).slice(0, 5), objectIn(lean)] });
      expect(objectIn(lean)).toEqual({ ...objectIn(whole), metadata: metadataOf });
      const object = (await get(server(), `${configMaps}/owned`, { accept })).body;
      expect(object).toEqual({ kind: 'ConfigMap', apiVersion: 'v1', ...objectIn(lean) });
    });

    it.each([
      ['metadata', 'as=PartialObjectMetadataList;g=meta.k8s.io;v=v1', (body: Json) => metadata(objectIn(body))],
      [
        'rows of a table',
        'as=Table;g=meta.k8s.io;v=v1',
        (body: Json) => metadata(body['rows']?.[5]?.['object'] as Json),
      ],
    ])('returns %s without them', async (_, as, metadataIn) => {
      const whole = await get(server(), path, { accept: `application/json;${as}` });
      expect(metadataIn(whole.body)).toMatchObject({ name: 'owned', managedFields: [{}] });
      const lean = await get(server(), path, { accept: `application/json;${as};${drop}` });
      expect(metadataIn(lean.body)).toMatchObject({ name: 'owned' });
      expect(metadataIn(lean.body)).not.toHaveProperty('managedFields');
    });

    it('ignores other fields, and drops only requested ones', async () => {
      const both = await get(server(), path, { accept: `application/json;${drop}+spec` });
      expect(metadata(objectIn(both.body))).not.toHaveProperty('managedFields');
      const other = await get(server(), path, { accept: 'application/json;drop=metadata.labels' });
      expect(metadata(objectIn(other.body))).toHaveProperty('managedFields');
      expect(metadata(other.body['items']?.[0] as Json)).toHaveProperty('labels');
    });

    it('keeps them in the stored object', async () => {
      await get(server(), path, { accept: `application/json;${drop}` });
      const { body } = await get(server(), `${configMaps}/owned`);
      expect(metadata(body)).toHaveProperty('managedFields');
    });
  });

  it('refuses unsupported formats', async () => {
    expect((await get(server(), configMaps, { accept: 'application/xml' })).status).toBe(406);
    const wrong = await get(server(), `${configMaps}/a`, {
      accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
    });
    expect(wrong.status).toBe(406);
    expect(wrong.body['message']).toBe(
      'you requested PartialObjectMetadataList, but the requested object is not a list (*v1.ConfigMap)',
    );
  });
});

describe('a version that never exists', () => {
  const server = useApiServer();

  it('causes a 504 after three seconds, with the cause that clients check', async () => {
    const { status, headers, body } = await get(server(), `${configMaps}?resourceVersion=99999`);
    expect(status).toBe(504);
    expect(headers.get('retry-after')).toBe('1');
    expect(body).toMatchObject({
      message: `Timeout: Too large resource version: 99999, current: ${server().resourceVersion}`,
      reason: 'Timeout',
      details: {
        causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
        retryAfterSeconds: 1,
      },
    });
  });
});
