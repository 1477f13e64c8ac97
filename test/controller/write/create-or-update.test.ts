import { createOrUpdate } from 'rx-informers/controller';
import { configMaps, type ConfigMap } from 'rx-informers';
import { serverFaults } from 'rx-informers/testing';
import { settings, stage } from './support/stage.js';

const path = '/api/v1/namespaces/web/configmaps';
const name = { metadata: { namespace: 'web', name: 'settings' } };
const random = () => 0;

function setMode(draft: { data?: Record<string, string> | undefined }): void {
  draft.data ??= {};
  draft.data['mode'] = 'dark';
}

function withWeb() {
  const world = stage();
  world.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'web' } });
  return world;
}

describe('createOrUpdate', () => {
  it('creates what is not there, as mutate makes it', () => {
    const { run, client, requests, server } = withWeb();
    const { values } = run(createOrUpdate(client, { ...name, data: { size: 'small' } }, setMode));
    expect(values).toEqual([{ operation: 'created', object: server.objects.get(configMaps, 'settings', 'web') }]);
    expect(values[0]?.object).toMatchObject({ kind: 'ConfigMap', data: { size: 'small', mode: 'dark' } });
    expect(requests).toEqual([`GET ${path}/settings`, `POST ${path}`]);
  });

  it('updates what is there with what mutate changes, and leaves everything else', () => {
    const { run, client, put, patches } = withWeb();
    put(settings({ mode: 'light', other: 'x' }));
    const { values } = run(createOrUpdate(client, { ...name, data: { size: 'small' } }, setMode));
    expect(values).toMatchObject([{ operation: 'updated', object: { data: { mode: 'dark', other: 'x' } } }]);
    expect(patches).toEqual([[{ op: 'replace', path: '/data/mode', value: 'dark' }]]);
  });

  it('sends nothing where everything is as it should be', () => {
    const { run, client, put, requests } = withWeb();
    put(settings({ mode: 'dark' }));
    const { values } = run(createOrUpdate(client, name, setMode));
    expect(values).toMatchObject([{ operation: 'unchanged', object: { data: { mode: 'dark' } } }]);
    expect(requests).toEqual([`GET ${path}/settings`]);
  });

  it('calls what the server made nothing of unchanged', () => {
    const { run, client, put, server } = withWeb();
    const { metadata } = put(settings({ mode: 'light' }));
    const { values } = run(createOrUpdate(client, name, (draft) => void (draft.immutable = undefined as never)));
    expect(values).toMatchObject([{ operation: 'unchanged' }]);
    expect(server.objects.get(configMaps, 'settings', 'web')?.metadata.resourceVersion).toBe(metadata.resourceVersion);
  });

  it('U1: updates an object that another client created in the meantime', () => {
    const { run, client, put, before } = withWeb();
    before('POST', () => put(settings({ theirs: 'x' })));
    const { values, took } = run(createOrUpdate(client, name, setMode, { random }));
    expect(values).toMatchObject([{ operation: 'updated', object: { data: { theirs: 'x', mode: 'dark' } } }]);
    expect(took).toBe(10);
  });

  it('U1: creates an object that another client deleted in the meantime', () => {
    const { run, client, put, server, before } = withWeb();
    put(settings({ mode: 'light' }));
    before('PATCH', () => server.remove(configMaps, 'settings', 'web'));
    const { values, took } = run(createOrUpdate(client, name, setMode, { random }));
    expect(values).toMatchObject([{ operation: 'created', object: { data: { mode: 'dark' } } }]);
    expect(took).toBe(10);
  });

  it('U1: gives up after 5 tries, with the last error', () => {
    const { run, client, server } = withWeb();
    server.faults.always('write', serverFaults.respond(409, { reason: 'AlreadyExists' }));
    const { error, took } = run(createOrUpdate(client, name, setMode, { random }));
    expect(error).toMatchObject({ statusCode: 409, reason: 'AlreadyExists' });
    expect(took).toBe(40);
  });

  it('hands on everything else at once: no rights, no namespace, what the server refuses', () => {
    const { run, client, server, requests } = withWeb();
    server.faults.next('get', serverFaults.respond(403));
    expect(run(createOrUpdate(client, name, setMode)).error).toMatchObject({ statusCode: 403 });
    const nowhere = { metadata: { namespace: 'nowhere', name: 'settings' } };
    expect(run(createOrUpdate(client, nowhere, setMode)).error).toMatchObject({ statusCode: 404 });
    const refused = run(createOrUpdate(client, name, (draft) => void (draft.metadata.labels = { a: '-' })));
    expect(refused.error).toMatchObject({ statusCode: 422 });
    expect(requests).toHaveLength(5);
  });

  it.each<[string, ConfigMap | undefined]>([
    ['there is none', undefined],
    ['there is one', settings({}) as ConfigMap],
  ])('does not let mutate change the name by which it finds the object again, where %s', (_name, existing) => {
    const { run, client, put } = withWeb();
    if (existing !== undefined) put(existing);
    const { error } = run(createOrUpdate(client, name, (draft) => void (draft.metadata.name = 'other')));
    expect(error).toMatchObject({ name: 'RecipeError', problem: 'read-only-field' });
  });

  it('is a typed error for an object without a name', () => {
    const { run, client } = withWeb();
    expect(run(createOrUpdate(client, { metadata: {} }, setMode)).error).toMatchObject({ name: 'InvalidObjectError' });
  });
});
