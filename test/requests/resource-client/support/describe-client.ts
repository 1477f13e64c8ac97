import {
  deployments,
  type Deployment,
  configMaps,
  namespaces,
  pods,
  type ConfigMap,
  type KubeClient,
  StatusError,
} from 'rx-informers';
import { resourceClient, type ResourceClient } from 'rx-informers/requests';
import { aPod, type InMemoryApiServer } from 'rx-informers/testing';
import { firstValueFrom } from 'rxjs';
import { errorWith } from '../../../support/error-with.js';

/** A server, and a connection to it. */
export interface ClientUnderTest {
  readonly server: InMemoryApiServer;
  readonly client: KubeClient;
  close(): Promise<void>;
}

/** Defines the tests of the guarantees of a `resourceClient`, for any transport. */
export function describeResourceClient(name: string, open: () => Promise<ClientUnderTest>): void {
  describe(`resourceClient ${name}`, () => {
    let tested: ClientUnderTest;
    let settings: ResourceClient<ConfigMap>;
    beforeEach(async () => {
      tested = await open();
      settings = resourceClient(tested.client, configMaps, { fieldManager: 'me' });
    });
    afterEach(() => tested.close());

    const named = { namespace: 'default', name: 'a' };
    const stored = () => tested.server.objects.get(configMaps, 'a', 'default');
    const failure = async (call: PromiseLike<unknown>): Promise<unknown> =>
      call.then(
        () => 'it succeeded',
        (error: unknown) => error,
      );

    it('creates, gets by key and by object, replaces and deletes', async () => {
      const created = await settings.create({ metadata: named, data: { a: '1' } });
      expect(created).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', metadata: named, data: { a: '1' } });
      expect(await settings.get('default/a')).toEqual(created);
      expect(await settings.get(created)).toEqual(created);

      const updated = await settings.update({ ...created, data: { a: '2' } });
      expect(updated.data).toEqual({ a: '2' });
      expect(updated.metadata.managedFields?.map(({ manager }) => manager)).toEqual(['me']);

      await settings.delete(updated);
      expect(stored()).toBeUndefined();
    });

    it('creates an object with a generated name if only a prefix is passed', async () => {
      const created = await settings.create({ metadata: { namespace: 'default', generateName: 'a-' } });
      expect(created.metadata.name).toMatch(/^a-.+/);
    });

    it('addresses a cluster-scoped object by its name', async () => {
      const client = resourceClient(tested.client, namespaces);
      await client.create({ metadata: { name: 'web' } });
      expect((await client.get('web')).metadata.name).toBe('web');
    });

    it('patches with JSON Patch, merge patch and strategic merge patch', async () => {
      await settings.create({ metadata: named, data: { a: '1' } });
      await settings.patch('default/a', [{ op: 'add', path: '/data/b', value: '2' }]);
      await settings.patch('default/a', { data: { a: null, c: '3' } });
      expect(stored()?.data).toEqual({ b: '2', c: '3' });

      const podClient = resourceClient(tested.client, pods);
      tested.server.apply(aPod({ name: 'p', image: 'app:1' }));
      const patch = { spec: { containers: [{ name: 'main', image: 'app:2' }] } };
      const patched = await podClient.patch('default/p', patch, { type: 'strategic' });
      expect(patched.spec?.containers).toMatchObject([{ name: 'main', image: 'app:2' }]);
    });

    it('applies, takes over the fields of others by default, and fails with a 409 if it must not', async () => {
      const first = await settings.apply({ metadata: named, data: { a: '1' } });
      expect(first.metadata.managedFields).toMatchObject([{ manager: 'me', operation: 'Apply' }]);
      const theirs = { fieldManager: 'they', force: false };
      const error = await failure(settings.apply({ metadata: named, data: { a: '2' } }, theirs));
      expect(error).toMatchObject({ statusCode: 409, reason: 'Conflict', message: expect.stringContaining('.data.a') });
      const forced = await settings.apply({ metadata: named, data: { a: '2' } }, { fieldManager: 'they' });
      expect(forced.data).toEqual({ a: '2' });
    });

    it('refuses to apply without a field manager', async () => {
      const anonymous = resourceClient(tested.client, configMaps);
      expect(await failure(anonymous.apply({ metadata: named }))).toMatchObject({
        statusCode: 422,
        message: expect.stringContaining('fieldManager'),
      });
    });

    it('writes a status separately from the other fields', async () => {
      const client = resourceClient(tested.client, deployments);
      const created = await client.create({ metadata: named, spec: { replicas: 2 } as Deployment['spec'] & object });
      await client.patch(created, { spec: { replicas: 9 }, status: { readyReplicas: 1 } }, { subresource: 'status' });
      await client.patch(created, { status: { readyReplicas: 9 } });
      expect(await client.get(created)).toMatchObject({ spec: { replicas: 2 }, status: { readyReplicas: 1 } });
      const status = await client.get(created, { subresource: 'status' });
      expect(await client.update({ ...status, status: {} }, { subresource: 'status' })).toMatchObject({
        spec: { replicas: 2 },
      });
    });

    it('reads and writes the replicas of a deployment as a Scale', async () => {
      const client = resourceClient(tested.client, deployments);
      const created = await client.create({ metadata: named, spec: { replicas: 2 } as Deployment['spec'] & object });
      const scale = await client.get(created, { subresource: 'scale' });
      expect(scale).toMatchObject({ kind: 'Scale', apiVersion: 'autoscaling/v1', spec: { replicas: 2 } });
      const updated = await client.update({ ...scale, spec: { replicas: 3 } }, { subresource: 'scale' });
      expect(updated).toMatchObject({ kind: 'Scale', metadata: { uid: created.metadata.uid }, spec: { replicas: 3 } });
      const patched = await client.patch('default/a', { spec: { replicas: 4 } }, { subresource: 'scale' });
      expect(patched.spec.replicas).toBe(4);
      expect(await client.get(created)).toMatchObject({ kind: 'Deployment', spec: { replicas: 4 } });
    });

    it('evicts a pod', async () => {
      tested.server.apply(aPod({ name: 'p', node: 'n1' }));
      const eviction = { metadata: { namespace: 'default', name: 'p' }, deleteOptions: { gracePeriodSeconds: 0 } };
      const status = await resourceClient(tested.client, pods).create(eviction, { subresource: 'eviction' });
      expect(status).toMatchObject({ kind: 'Status', status: 'Success' });
      expect(tested.server.objects.get(pods, 'p', 'default')).toBeUndefined();
    });

    it('changes nothing in a dry run', async () => {
      const dryRun = { dryRun: true };
      expect(await settings.create({ metadata: named }, dryRun)).toMatchObject({ metadata: named });
      expect(stored()).toBeUndefined();
      const created = await settings.create({ metadata: named, data: { a: '1' } });
      await settings.update({ ...created, data: {} }, dryRun);
      await settings.patch(created, { data: { a: '2' } }, dryRun);
      await settings.apply({ metadata: named, data: { a: '3' } }, dryRun);
      await settings.delete(created, dryRun);
      expect(stored()).toEqual(created);
    });

    it('deletes only if the preconditions hold', async () => {
      const { metadata } = await settings.create({ metadata: named });
      const other = await failure(settings.delete('default/a', { preconditions: { uid: 'other' } }));
      expect(other).toMatchObject({ statusCode: 409, reason: 'Conflict' });
      const old = await failure(settings.delete('default/a', { preconditions: { resourceVersion: '1' } }));
      expect(old).toMatchObject({ statusCode: 409 });
      await settings.delete('default/a', { preconditions: { uid: metadata.uid }, propagationPolicy: 'Background' });
      expect(stored()).toBeUndefined();
    });

    it('deletes a pod at once without a grace period', async () => {
      tested.server.apply(aPod({ name: 'p', node: 'n1' }));
      const client = resourceClient(tested.client, pods);
      await client.delete('default/p', { gracePeriodSeconds: 0 });
      expect(tested.server.objects.get(pods, 'p', 'default')).toBeUndefined();
    });

    it('fails with a StatusError if the server refuses the request', async () => {
      const created = await settings.create({ metadata: named });
      await settings.patch(created, { data: { a: '1' } });
      const failures = await Promise.all(
        [
          settings.get('default/b'),
          settings.create({ metadata: named }),
          settings.update({ ...created, data: { a: '2' } }),
          settings.patch(created, { metadata: { labels: { a: '-' } } }),
          settings.get(created, { subresource: 'nothing' }),
        ].map(failure),
      );
      expect(failures.every((error) => error instanceof StatusError)).toBe(true);
      expect(failures).toMatchObject([
        { statusCode: 404, reason: 'NotFound' },
        { statusCode: 409, reason: 'AlreadyExists' },
        { statusCode: 409, reason: 'Conflict' },
        { statusCode: 422, reason: 'Invalid' },
        { statusCode: 404 },
      ]);
    });

    it('throws a typed error for an object that cannot be addressed, and sends nothing', async () => {
      let requested = 0;
      tested.server.requests$.subscribe(() => requested++);
      const nodes = resourceClient(tested.client, namespaces);
      expect(await failure(settings.get('a'))).toEqual(errorWith('RXI_RESOURCE_PATH'));
      expect(await failure(nodes.get('default/a'))).toEqual(errorWith('RXI_RESOURCE_PATH'));
      expect(await failure(settings.get('default/../a'))).toEqual(errorWith('RXI_INVALID_KEY'));
      expect(await failure(settings.get('default/..'))).toEqual(errorWith('RXI_RESOURCE_PATH'));
      expect(await failure(settings.get({}))).toEqual(errorWith('RXI_INVALID_OBJECT'));
      expect(await failure(settings.create({ metadata: { name: 'a' } }))).toMatchObject({
        code: 'RXI_RESOURCE_PATH',
        message: expect.stringContaining('pass the namespace in which to create the object'),
      });
      expect(requested).toBe(0);
    });

    it('sends a request for each subscription or await, and none before', async () => {
      const requests: string[] = [];
      tested.server.requests$.subscribe(({ method }) => requests.push(method));
      await settings.create({ metadata: named });
      const call = settings.get('default/a');
      expect(requests).toEqual(['POST']);
      await call;
      await firstValueFrom(call);
      expect(requests).toEqual(['POST', 'GET', 'GET']);
    });
  });
}
