import { jest } from '@jest/globals';
import { configMaps, type ConfigMap, StatusError } from 'rx-informers';
import { resourceClient, fieldErrors, isConflict, edit } from 'rx-informers/requests';
import { serverFaults } from 'rx-informers/testing';
import { Observable } from 'rxjs';
import { freezeDeeply } from '../../../src/store/freeze.js';
import { errorWith } from '../../support/error-with.js';
import { settings, stage, website } from './support/stage.js';

const path = '/api/v1/namespaces/web/configmaps/settings';
const random = () => 0;

describe('edit', () => {
  it('sends one PATCH with only the changes, and returns the response of the server', () => {
    const { run, put, client, requests, patches, server } = stage();
    const object = put(settings({ mode: 'dark', size: 'small' }));
    const { values, error, took } = run(edit(client, object, ({ data }) => void (data!['mode'] = 'light')));

    expect(error).toBeUndefined();
    expect(took).toBe(0);
    expect(requests).toEqual([`PATCH ${path}`]);
    expect(patches).toEqual([[{ op: 'replace', path: '/data/mode', value: 'light' }]]);
    expect(values).toEqual([server.objects.get(configMaps, 'settings', 'web')]);
    expect(values[0]?.data).toEqual({ mode: 'light', size: 'small' });
  });

  it('tests uid and resourceVersion before it changes anything', () => {
    const { run, put, client, server } = stage();
    const object = put(settings({ a: '1' }));
    const bodies: unknown[] = [];
    server.requests$.subscribe(({ body }) => bodies.push(JSON.parse(body)));
    const remove = ({ data }: { data?: Record<string, string> }): void => {
      delete data!['a'];
    };
    run(edit(client, object, remove));

    expect(bodies).toEqual([
      [
        { op: 'test', path: '/metadata/uid', value: object.metadata.uid },
        { op: 'test', path: '/metadata/resourceVersion', value: object.metadata.resourceVersion },
        { op: 'remove', path: '/data/a' },
      ],
    ]);
  });

  it('does not modify or freeze the object it is given', () => {
    const { run, put, client } = stage();
    const object = put(settings({ a: '1' }));
    const before = structuredClone(object);
    expect(run(edit(client, object, ({ data }) => void (data!['a'] = '2'))).error).toBeUndefined();
    expect(object).toEqual(before);
    expect(Object.isFrozen(object) || Object.isFrozen(object.data)).toBe(false);

    const frozen = freezeDeeply(put(settings({ a: '1' })));
    expect(run(edit(client, frozen, ({ data }) => void (data!['a'] = '3'))).values[0]?.data).toEqual({ a: '3' });
  });

  it.each<[string, Parameters<typeof edit<ConfigMap>>[2]]>([
    ['does nothing', () => undefined],
    ['sets existing values again', ({ data }) => void (data!['a'] = '1')],
    ['changes something and changes it back', ({ data }) => void ((data!['a'] = '2'), (data!['a'] = '1'))],
    ['sets a missing field to undefined', ({ data }) => void (data!['b'] = undefined as unknown as string)],
    ['replaces an object by an equal one', (draft) => void (draft.data = { a: '1' })],
  ])('sends nothing and returns the object itself for a recipe that %s', (_name, recipe) => {
    const { run, put, client, requests } = stage();
    const object = put(settings({ a: '1' }));
    const { values } = run(edit(client, object, recipe));
    expect(values).toHaveLength(1);
    expect(values[0]).toBe(object);
    expect(requests).toEqual([]);
  });

  it('leaves managedFields unchanged, although the cache has dropped them', () => {
    const { run, put, client, server } = stage();
    put(settings({ a: '1' }));
    run(client.apply({ metadata: { namespace: 'web', name: 'settings' }, data: { b: '2' } }));
    const { managedFields: owners, ...metadata } = server.objects.get(configMaps, 'settings', 'web')!.metadata;
    expect(owners).not.toHaveLength(0);
    const cached = { ...server.objects.get(configMaps, 'settings', 'web')!, metadata } as ConfigMap;
    const { values } = run(edit(client, cached, (draft) => void (draft.metadata.labels = { 'a.com/b': 'x' })));
    expect(values[0]?.metadata.labels).toEqual({ 'a.com/b': 'x' });
    expect(values[0]?.metadata.managedFields?.map(({ operation }) => operation)).toContain('Apply');
  });

  it("U1: runs the recipe again on the newest object after a conflict, and keeps the other client's changes", () => {
    const { run, put, client, before, requests } = stage();
    const object = put(settings({ count: '1' }));
    before('PATCH', () => put(settings({ count: '5', other: 'x' })));
    const seen: (string | undefined)[] = [];
    const { values, took } = run(
      edit(
        client,
        object,
        ({ data }) => {
          seen.push(data!['count']);
          data!['count'] = String(Number(data!['count']) + 1);
        },
        { random },
      ),
    );
    expect(seen).toEqual(['1', '5']);
    expect(values[0]?.data).toEqual({ count: '6', other: 'x' });
    expect(requests).toEqual([`PATCH ${path}`, `GET ${path}`, `PATCH ${path}`]);
    expect(took).toBe(10);
  });

  it('sends nothing more if the newest object is already as desired', () => {
    const { run, put, client, before, requests } = stage();
    const object = put(settings({ a: '1' }));
    before('PATCH', () => put(settings({ a: '2' })));
    const { values } = run(edit(client, object, ({ data }) => void (data!['a'] = '2'), { random }));
    expect(values[0]?.data).toEqual({ a: '2' });
    expect(requests).toEqual([`PATCH ${path}`, `GET ${path}`]);
  });

  it('U1: gives up after 5 tries, 10 ms apart, with a conflict that says so', () => {
    const { run, put, client, before, patches } = stage();
    const object = put(settings({ a: '0' }));
    let count = 0;
    before('PATCH', () => put(settings({ a: '0', other: String(count++) })), Infinity);
    const { error, took } = run(edit(client, object, ({ data }) => void (data!['a'] = '1'), { random }));
    expect(error).toEqual(errorWith('RXI_EDIT_CONFLICT'));
    expect(error).toMatchObject({ key: 'web/settings', tries: 5, cause: { statusCode: 422 } });
    expect((error as Error).message).toMatch(
      /^cannot edit ConfigMap web\/settings: another writer changed it before each of 5 tries; try again later: /,
    );
    expect(isConflict(error)).toBe(true);
    expect(patches).toHaveLength(5);
    expect(took).toBe(40);
  });

  it('recognises the 409 with which a server answers after a concurrent write', () => {
    const { run, put, client, server } = stage();
    const object = put(settings({ a: '1' }));
    server.faults.next('write', serverFaults.respond(409));
    const { values, took } = run(edit(client, object, ({ data }) => void (data!['a'] = '2'), { random }));
    expect(values[0]?.data).toEqual({ a: '2' });
    expect(took).toBe(10);
  });

  it('throws a specific error if the object was deleted, detected by the patch or afterwards', () => {
    const { run, put, client, server } = stage();
    const object = put(settings({ a: '1' }));
    server.remove(configMaps, 'settings', 'web');
    const { error } = run(edit(client, object, ({ data }) => void (data!['a'] = '2')));
    expect(error).toEqual(errorWith('RXI_OBJECT_DELETED'));
    expect(error).toMatchObject({ key: 'web/settings', uid: object.metadata.uid, replacedBy: undefined });
  });

  it('never runs a recipe on another object that now has the name', () => {
    const { run, put, client, server } = stage();
    const object = put(settings({ a: '1' }));
    server.remove(configMaps, 'settings', 'web');
    const other = put(settings({ a: '1' }));
    const recipe = jest.fn(({ data }: { data?: Record<string, string> }) => void (data!['a'] = '2'));
    const { error } = run(edit(client, object, recipe));
    expect(error).toEqual(errorWith('RXI_OBJECT_DELETED'));
    expect(error).toMatchObject({ uid: object.metadata.uid, replacedBy: other.metadata.uid });
    expect((error as Error).message).toBe(
      `ConfigMap web/settings (uid ${object.metadata.uid}) has been deleted; its name now belongs to another object (uid ${other.metadata.uid})`,
    );
    expect(recipe).toHaveBeenCalledTimes(1);
    expect(server.objects.get(configMaps, 'settings', 'web')?.data).toEqual({ a: '1' });
  });

  it('rethrows a refusal of the server with its fields, and does not retry', () => {
    const { run, put, client, requests } = stage();
    const object = put(settings({ a: '1' }));
    const { error } = run(edit(client, object, (draft) => void (draft.metadata.labels = { bad: '-bad-' })));
    expect(error).toBeInstanceOf(StatusError);
    expect(error).toMatchObject({
      statusCode: 422,
      reason: 'Invalid',
      message: expect.stringContaining('metadata.labels'),
    });
    expect(fieldErrors(error)).toEqual([
      { field: 'metadata.labels', reason: 'FieldValueInvalid', message: expect.stringContaining('"-bad-"') },
    ]);
    expect(requests).toHaveLength(1);
  });

  it('rethrows a 422 without a field if the object has not changed, because it is not a conflict', () => {
    const { run, put, client, server, requests } = stage();
    const object = put(settings({ a: '1' }));
    server.faults.always('write', serverFaults.respond(422));
    const { error } = run(edit(client, object, ({ data }) => void (data!['a'] = '2')));
    expect(error).toMatchObject({ name: 'StatusError', statusCode: 422 });
    expect(requests).toEqual([`PATCH ${path}`, `GET ${path}`]);
  });

  it('accepts only objects that came from a server', () => {
    const { run, client } = stage();
    const made = settings({ a: '1' }) as ConfigMap;
    expect(run(edit(client, made, () => undefined)).error).toEqual(errorWith('RXI_INVALID_OBJECT'));
    const unversioned = settings({}, { uid: 'u' }) as ConfigMap;
    expect(run(edit(client, unversioned, () => undefined)).error).toMatchObject({
      message: expect.stringContaining('resourceVersion'),
    });
  });

  it('is only validated with dryRun, and sends its fieldManager', () => {
    const { run, put, client, server } = stage();
    const object = put(settings({ a: '1' }));
    const dry = run(edit(client, object, ({ data }) => void (data!['a'] = '2'), { dryRun: true }));
    expect(dry.values[0]?.data).toEqual({ a: '2' });
    expect(server.objects.get(configMaps, 'settings', 'web')?.data).toEqual({ a: '1' });
    const done = run(edit(client, object, ({ data }) => void (data!['a'] = '2'), { fieldManager: 'me' }));
    expect(done.values[0]?.metadata.managedFields?.map(({ manager }) => manager)).toContain('me');
  });

  it('can be awaited, and sends a request each time', async () => {
    const { put, client, requests } = stage();
    const object = put(settings({ a: '1' }));
    const call = edit(client, object, ({ data }) => void (data!['a'] = '2'));
    expect(requests).toEqual([]);
    await expect(call).resolves.toMatchObject({ data: { a: '2' } });
    expect(requests).toHaveLength(1);
  });

  it('stops when it is aborted, also while it waits for its next try', () => {
    const { put, client, before, scheduler, requests } = stage();
    const object = put(settings({ a: '1' }));
    before('PATCH', () => put(settings({ a: '3' })));
    const abort = new AbortController();
    const errors: unknown[] = [];
    edit(client, object, ({ data }) => void (data!['a'] = '2'), { signal: abort.signal }).subscribe({
      error: (error: unknown) => errors.push(error),
    });
    const reason = new Error('enough');
    abort.abort(reason);
    scheduler.flush();
    expect(errors).toEqual([reason]);
    expect(requests).toEqual([`PATCH ${path}`]);
  });

  it('aborts its request when its last subscriber unsubscribes', () => {
    const { put } = stage();
    const object = put(settings({ a: '1' }));
    let active = 0;
    const exchange = () =>
      new Observable<never>(() => {
        active++;
        return () => active--;
      });
    const silent = resourceClient({ exchange }, configMaps);
    const subscription = edit(silent, object, (draft) => void (draft.data = {})).subscribe();
    expect(active).toBe(1);
    subscription.unsubscribe();
    expect(active).toBe(0);
  });

  it.each([0, 1.5, NaN])('throws for %s tries', (tries) => {
    const { put, client } = stage();
    const object = put(settings({}));
    expect(() => edit(client, object, () => undefined, { tries })).toThrow(errorWith('RXI_INVALID_OPTION'));
  });
});

describe('edit of a status', () => {
  const statusPath = '/apis/example.com/v1/namespaces/web/websites/shop/status';

  it('is sent to the subresource, also for an object without a status', () => {
    const { run, putWebsite, websites, requests, patches } = stage();
    const object = putWebsite(website());
    const { values } = run(
      edit(websites, object, (draft) => void (draft.status = { phase: 'Ready' }), { subresource: 'status' }),
    );
    expect(values[0]?.status).toEqual({ phase: 'Ready' });
    expect(requests).toEqual([`PATCH ${statusPath}`]);
    expect(patches).toEqual([[{ op: 'add', path: '/status', value: { phase: 'Ready' } }]]);
  });

  it('runs again after a change of the spec', () => {
    const { run, putWebsite, websites, before, scheduler } = stage();
    const object = putWebsite(website());
    before('PATCH', () => putWebsite(website({ host: 'other' })));
    const { values } = run(
      edit(websites, object, (draft) => void (draft.status = { phase: draft.spec.host }), {
        subresource: 'status',
        scheduler,
      }),
    );
    expect(values[0]).toMatchObject({ spec: { host: 'other' }, status: { phase: 'other' } });
  });

  it('throws if the recipe changes another field, which the server would ignore', () => {
    const { run, putWebsite, websites, requests } = stage();
    const object = putWebsite(website());
    const { error } = run(
      edit(websites, object, (draft) => void (draft.spec.host = 'other'), { subresource: 'status' }),
    );
    expect(error).toMatchObject({
      code: 'RXI_RECIPE',
      problem: 'outside-of-subresource',
      message: expect.stringContaining('/spec/host'),
    });
    expect(requests).toEqual([]);
  });

  it('throws if the status was changed without the subresource, and the server ignored it', () => {
    const { run, putWebsite, websites } = stage();
    const object = putWebsite(website());
    const { error } = run(edit(websites, object, (draft) => void (draft.status = { phase: 'Ready' })));
    expect(error).toEqual(errorWith('RXI_STATUS_IGNORED'));
    expect(error).toMatchObject({ message: expect.stringContaining("{ subresource: 'status' }") });
  });

  it('rethrows the 404 of a kind without the subresource: the object is not deleted', () => {
    const { run, put, client } = stage();
    const object = put(settings({}));
    const recipe = (draft: object): void => void Object.assign(draft, { status: {} });
    expect(run(edit(client, object, recipe, { subresource: 'status' })).error).toMatchObject({
      name: 'StatusError',
      statusCode: 404,
    });
  });
});
