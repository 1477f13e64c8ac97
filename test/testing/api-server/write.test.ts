import { configMap, configMaps, get, patch, post, send, useApiServer, type Json } from './http.js';

describe('writes to the embedded API server', () => {
  const server = useApiServer();
  const meta = (body: Json): Json => body['metadata'] as Json;

  it('create sets uid, version and creation time of the object', async () => {
    const { status, body } = await post(server(), configMaps, configMap('a'));
    expect(status).toBe(201);
    expect(body).toMatchObject({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'a', namespace: 'default', resourceVersion: server().resourceVersion },
    });
    expect(String(meta(body)['uid'])).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(String(meta(body)['creationTimestamp'])).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  });

  it('create makes a name from generateName', async () => {
    const { body } = await post(server(), configMaps, { metadata: { generateName: 'job-' } });
    expect(String(meta(body)['name'])).toMatch(/^job-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });

  it('create refuses invalid objects, with the code and reason of the real server', async () => {
    await post(server(), configMaps, configMap('a'));
    const cases: readonly (readonly [path: string, body: unknown, code: number, expected: object])[] = [
      [
        configMaps,
        configMap('a'),
        409,
        {
          reason: 'AlreadyExists',
          message: 'configmaps "a" already exists',
          details: { name: 'a', kind: 'configmaps' },
        },
      ],
      [
        configMaps,
        { metadata: {} },
        422,
        {
          reason: 'Invalid',
          message: 'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
        },
      ],
      [configMaps, configMap('A_b'), 422, { reason: 'Invalid', details: { name: 'A_b', kind: 'ConfigMap' } }],
      [configMaps, configMap('l', { x: 'not a label!' }), 422, { reason: 'Invalid' }],
      [configMaps, { ...configMap('x'), kind: 'Pod' }, 400, { reason: 'BadRequest' }],
      [
        configMaps,
        { metadata: { name: 'x', namespace: 'other' } },
        400,
        { message: 'the namespace of the provided object does not match the namespace sent on the request' },
      ],
      [
        configMaps,
        { metadata: { name: 'x', resourceVersion: '5' } },
        500,
        { message: 'resourceVersion should not be set on objects to be created' },
      ],
      [
        '/api/v1/namespaces/nope/configmaps',
        configMap('x'),
        404,
        { reason: 'NotFound', message: 'namespaces "nope" not found' },
      ],
      ['/api/v1/configmaps', configMap('x'), 405, { reason: 'MethodNotAllowed', details: {} }],
      [
        configMaps,
        '',
        400,
        {
          message:
            "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)",
        },
      ],
      [
        configMaps,
        '{"apiVersion":"v1","kind":"ConfigMap",',
        400,
        {
          message:
            'the object provided is unrecognized (must be of type ConfigMap): couldn\'t get version/kind; json parse error: unexpected end of JSON input ({"apiVersion":"v1","kind":"Con ...)',
        },
      ],
      [configMaps, [], 400, { reason: 'BadRequest' }],
    ];
    for (const [path, body, code, expected] of cases) {
      const answer = await post(server(), path, body);
      expect(answer.body).toMatchObject({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code, ...expected });
      expect(answer.status).toBe(code);
    }
  });

  it('a body in an unknown format is refused with 415', async () => {
    const { status, body } = await send(server(), 'POST', configMaps, {
      body: 'x',
      headers: { 'content-type': 'text/plain' },
    });
    expect(status).toBe(415);
    expect(body['reason']).toBe('UnsupportedMediaType');
  });

  it('YAML bodies are accepted', async () => {
    const body = 'metadata: {name: fromyaml}\ndata: {a: b}\n';
    expect(
      (await send(server(), 'POST', configMaps, { body, headers: { 'content-type': 'application/yaml' } })).status,
    ).toBe(201);
  });

  it('update replaces the content, keeps the identity, and refuses an old version with 409', async () => {
    const created = (await post(server(), configMaps, configMap('a', { l: '1' }))).body;
    const updated = await send(server(), 'PUT', `${configMaps}/a`, { body: { ...configMap('a'), data: { x: '1' } } });
    expect(updated.status).toBe(200);
    expect(updated.body).toMatchObject({
      metadata: { uid: meta(created)['uid'], creationTimestamp: meta(created)['creationTimestamp'] },
      data: { x: '1' },
    });
    expect(meta(updated.body)['labels']).toBeUndefined();
    const stale = await send(server(), 'PUT', `${configMaps}/a`, { body: created });
    expect(stale.status).toBe(409);
    expect(stale.body).toMatchObject({
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
      details: { name: 'a', kind: 'configmaps' },
    });
  });

  it('an update without changes creates no version', async () => {
    const { body } = await post(server(), configMaps, configMap('a'));
    const again = await send(server(), 'PUT', `${configMaps}/a`, { body: configMap('a') });
    expect(meta(again.body)['resourceVersion']).toBe(meta(body)['resourceVersion']);
  });

  it('update refuses a wrong name, uid and version', async () => {
    await post(server(), configMaps, configMap('a'));
    const put = (metadata: object, name = 'a') =>
      send(server(), 'PUT', `${configMaps}/${name}`, { body: { metadata } });
    expect((await put({ name: 'b' })).body).toMatchObject({
      code: 400,
      message: 'the name of the object (b) does not match the name on the URL (a)',
    });
    expect((await put({})).body).toMatchObject({
      code: 400,
      message: 'the name of the object (a based on URL) was undeterminable: name must be provided',
    });
    expect((await put({ name: 'a', uid: 'other' })).body).toMatchObject({ code: 409, reason: 'Conflict' });
    expect((await put({ name: 'a', resourceVersion: 'xx' })).status).toBe(500);
    expect((await put({ name: 'zz' }, 'zz')).body).toMatchObject({ code: 404, message: 'configmaps "zz" not found' });
  });

  it('merge patch changes what it names, removes what it sets to null, and may carry a version', async () => {
    await post(server(), configMaps, configMap('a', { l: '1' }, { x: '1', y: '2' }));
    const patched = await patch(server(), `${configMaps}/a`, { data: { x: null, z: '3' } });
    expect(patched.status).toBe(200);
    expect(patched.body['data']).toEqual({ y: '2', z: '3' });
    expect((await patch(server(), `${configMaps}/a`, { metadata: { resourceVersion: '3' } })).status).toBe(409);
    expect((await patch(server(), `${configMaps}/a`, { metadata: { uid: 'other' } })).body).toMatchObject({
      code: 422,
      message: 'ConfigMap "a" is invalid: metadata.uid: Invalid value: "other": field is immutable',
    });
    expect((await patch(server(), `${configMaps}/a`, '{"data":')).body).toMatchObject({
      code: 400,
      message: 'error decoding patch: unexpected end of JSON input',
    });
    expect((await patch(server(), `${configMaps}/a`, [])).status).toBe(400);
    expect((await patch(server(), `${configMaps}/none`, {})).status).toBe(404);
  });

  it('JSON patch applies all operations or none', async () => {
    const type = 'application/json-patch+json';
    await post(server(), configMaps, configMap('a', undefined, { x: '1' }));
    const add = { op: 'add', path: '/data/y', value: '2' };
    expect(
      (await patch(server(), `${configMaps}/a`, [{ op: 'test', path: '/data/x', value: '1' }, add], type)).body['data'],
    ).toEqual({ x: '1', y: '2' });
    const failing = await patch(
      server(),
      `${configMaps}/a`,
      [
        { ...add, path: '/data/z' },
        { op: 'remove', path: '/data/nope' },
      ],
      type,
    );
    expect(failing.status).toBe(422);
    expect(failing.body['reason']).toBe('Invalid');
    expect((await get(server(), `${configMaps}/a`)).body['data']).toEqual({ x: '1', y: '2' });
    expect((await patch(server(), `${configMaps}/a`, [{ op: 'frob', path: '/x' }], type)).status).toBe(400);
    expect((await patch(server(), `${configMaps}/a`, { op: 'add' }, type)).status).toBe(400);
    expect((await patch(server(), `${configMaps}/a`, {}, 'application/json')).status).toBe(415);
  });

  it('delete responds with a Status and the uid, then 404', async () => {
    const { body } = await post(server(), configMaps, configMap('a'));
    const deleted = await send(server(), 'DELETE', `${configMaps}/a`);
    expect(deleted.status).toBe(200);
    expect(deleted.body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name: 'a', kind: 'configmaps', uid: meta(body)['uid'] },
    });
    const again = await send(server(), 'DELETE', `${configMaps}/a`);
    expect(again.status).toBe(404);
    expect(again.body).toMatchObject({
      reason: 'NotFound',
      message: 'configmaps "a" not found',
      details: { name: 'a', kind: 'configmaps' },
    });
  });

  it('deletecollection deletes the selected objects, and returns them', async () => {
    server().apply([configMap('a', { app: 'x' }), configMap('b', { app: 'x' }), configMap('c', { app: 'y' })]);
    const { status, body } = await send(server(), 'DELETE', `${configMaps}?labelSelector=app%3Dx`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      kind: 'ConfigMapList',
      items: [{ metadata: { name: 'a' } }, { metadata: { name: 'b' } }],
    });
    expect(server().objects.list({ group: '', plural: 'configmaps' }, 'default')).toHaveLength(1);
  });

  it('delete respects its preconditions', async () => {
    await post(server(), configMaps, configMap('a'));
    const uid = await send(server(), 'DELETE', `${configMaps}/a`, { body: { preconditions: { uid: 'other' } } });
    expect(uid.status).toBe(409);
    const version = await send(server(), 'DELETE', `${configMaps}/a`, {
      body: { preconditions: { resourceVersion: '1' } },
    });
    expect(version.status).toBe(409);
    expect((await get(server(), `${configMaps}/a`)).status).toBe(200);
  });

  it('a dry run responds as usual, and changes nothing', async () => {
    expect((await post(server(), `${configMaps}?dryRun=All`, configMap('dry'))).status).toBe(201);
    expect((await get(server(), `${configMaps}/dry`)).status).toBe(404);
    server().apply(configMap('a'));
    const version = server().resourceVersion;
    expect((await patch(server(), `${configMaps}/a?dryRun=All`, { data: { x: '1' } })).body['data']).toEqual({
      x: '1',
    });
    expect((await send(server(), 'DELETE', `${configMaps}/a?dryRun=All`)).status).toBe(200);
    expect(server().resourceVersion).toBe(version);
    expect((await post(server(), `${configMaps}?dryRun=some`, configMap('x'))).body).toMatchObject({
      code: 422,
      message: 'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["some"]: supported values: "All"',
    });
  });

  it('a delete with a body uses the options of the body, not those of the query', async () => {
    server().apply([configMap('a'), configMap('b')]);
    const dry = await send(server(), 'DELETE', `${configMaps}/a`, { body: { dryRun: ['All'] } });
    expect(dry.status).toBe(200);
    expect((await get(server(), `${configMaps}/a`)).status).toBe(200);
    await send(server(), 'DELETE', `${configMaps}/b?dryRun=All`, { body: { propagationPolicy: 'Background' } });
    expect((await get(server(), `${configMaps}/b`)).status).toBe(404);
  });

  it('an object with finalizers is deleted after the last one is removed', async () => {
    await post(server(), configMaps, { metadata: { name: 'fin', finalizers: ['x.io/y'] } });
    const deleted = await send(server(), 'DELETE', `${configMaps}/fin`);
    expect(deleted.body).toMatchObject({
      kind: 'ConfigMap',
      metadata: { deletionGracePeriodSeconds: 0, finalizers: ['x.io/y'] },
    });
    expect(meta(deleted.body)['deletionTimestamp']).toBeDefined();
    const more = await patch(server(), `${configMaps}/fin`, { metadata: { finalizers: ['x.io/y', 'x.io/z'] } });
    expect(more.status).toBe(422);
    expect(more.body['message']).toBe(
      'ConfigMap "fin" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"x.io/z"}',
    );
    expect((await patch(server(), `${configMaps}/fin`, { metadata: { finalizers: null } })).status).toBe(200);
    expect((await get(server(), `${configMaps}/fin`)).status).toBe(404);
  });

  it('generation counts changes of the spec, not of metadata or status', async () => {
    const deployments = '/apis/apps/v1/namespaces/default/deployments';
    const created = await post(server(), deployments, {
      metadata: { name: 'd', generation: 7 },
      spec: { replicas: 1 },
      status: { replicas: 5 },
    });
    expect(created.body).toMatchObject({ metadata: { generation: 1 }, status: {} });
    expect((await patch(server(), `${deployments}/d`, { spec: { replicas: 2 } })).body).toMatchObject({
      metadata: { generation: 2 },
    });
    expect((await patch(server(), `${deployments}/d`, { metadata: { labels: { a: 'b' } } })).body).toMatchObject({
      metadata: { generation: 2 },
    });
    const status = await patch(server(), `${deployments}/d/status`, { spec: { replicas: 9 }, status: { replicas: 2 } });
    expect(status.body).toMatchObject({ metadata: { generation: 2 }, spec: { replicas: 2 }, status: { replicas: 2 } });
    const ignored = await patch(server(), `${deployments}/d`, { status: { replicas: 3 } });
    expect(ignored.body).toMatchObject({ status: { replicas: 2 } });
  });
});
