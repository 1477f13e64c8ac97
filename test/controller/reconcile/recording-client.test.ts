import { configMaps, deployments, pods, type KubeClient, type KubernetesObject } from 'rx-informers';
import type { RecordedWrite } from 'rx-informers/client';
import { resourceClient, edit } from 'rx-informers/requests';
import { aConfigMap, aPod, createInMemoryApiServer } from 'rx-informers/testing';
import { recordingClient } from '../../../src/controller/reconcile/recording-client.js';
import { confirmedWrite } from '../../../src/requests/resource-client/reported-writes.js';

const servers: { stop(): void }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.stop();
});

function recorded() {
  const server = createInMemoryApiServer();
  servers.push(server);
  const writes: RecordedWrite[] = [];
  const client = recordingClient(server.client, (write) => writes.push(write));
  const words = (): readonly string[] =>
    writes
      .splice(0)
      .map(({ verb, resource, object, isGone, resourceVersion, waitForCache }) =>
        [
          verb,
          resource.plural,
          `${object.metadata?.namespace}/${object.metadata?.name}`,
          ...(isGone ? ['gone'] : []),
          ...(resourceVersion === undefined ? ['unversioned'] : []),
          ...(waitForCache ? [] : ['not waited for']),
        ].join(' '),
      );
  return { server, client, writes, words };
}

const settings = { metadata: { name: 'a', namespace: 'default' } };

describe('a client that records its writes', () => {
  it('records create, update, patch, apply and the operations that use them', async () => {
    const { client, words } = recorded();
    const direct = resourceClient(client, configMaps, { fieldManager: 'test' });
    const created = await direct.create(settings);
    await direct.update({ ...created, data: { a: '1' } });
    const patched = await direct.patch('default/a', { data: { a: '2' } });
    await direct.apply({ ...settings, data: { b: '1' } });
    await edit(direct, patched, (draft) => {
      draft.data = { c: '1' };
    });
    expect(words()).toEqual(
      ['create', 'update', 'patch', 'apply', 'patch'].map((verb) => `${verb} configmaps default/a`),
    );
  });

  it('records a write with its resulting version before the caller receives the response', async () => {
    const { client, writes } = recorded();
    const created = await resourceClient(client, configMaps).create(settings);
    expect(writes).toEqual([
      expect.objectContaining({ uid: created.metadata.uid, resourceVersion: created.metadata.resourceVersion }),
    ]);
  });

  it('records no dry runs, reads or refused writes', async () => {
    const { client, words } = recorded();
    const direct = resourceClient(client, configMaps);
    await direct.create(settings, { dryRun: true });
    await expect(direct.get('default/a')).rejects.toMatchObject({ statusCode: 404 });
    await expect(direct.delete('default/a')).rejects.toMatchObject({ statusCode: 404 });
    expect(words()).toEqual([]);
  });

  it('records a delete as gone, or as a new version if finalizers or a grace period delay it', async () => {
    const { client, server, words } = recorded();
    server.apply([
      aConfigMap({ name: 'plain', namespace: 'default' }),
      {
        ...aConfigMap({ name: 'held', namespace: 'default' }),
        metadata: { name: 'held', namespace: 'default', finalizers: ['example.com/a'] },
      },
      aPod({ name: 'graceful', namespace: 'default', node: 'n1' }),
    ]);
    await resourceClient(client, configMaps).delete('default/plain');
    await resourceClient(client, configMaps).delete('default/held');
    await resourceClient(client, pods).delete('default/graceful');
    await resourceClient(client, configMaps).patch('default/held', { metadata: { finalizers: null } });
    expect(words()).toEqual([
      'delete configmaps default/plain gone unversioned',
      'delete configmaps default/held',
      'delete pods default/graceful',
      'patch configmaps default/held gone',
    ]);
  });

  it('records that an object is gone if its write is refused for that reason, but only if its uid is known', async () => {
    const { client, server, words } = recorded();
    const direct = resourceClient(client, configMaps);
    const created = await direct.create(settings);
    server.remove(configMaps, 'a', 'default');
    words();
    await expect(direct.patch(created, { data: { a: '1' } })).rejects.toMatchObject({ statusCode: 404 });
    await expect(direct.patch('default/a', { data: { a: '1' } })).rejects.toMatchObject({ statusCode: 404 });
    await expect(direct.patch(created, { data: {} }, { dryRun: true })).rejects.toMatchObject({ statusCode: 404 });
    expect(words()).toEqual(['patch configmaps default/a gone unversioned']);
  });

  it('records the write of a subresource as a write of its object, and skips responses that name no object', async () => {
    const { client, server, words } = recorded();
    server.apply([
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'shop', namespace: 'default' },
        spec: {
          replicas: 1,
          selector: { matchLabels: { a: 'b' } },
          template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
        },
      },
    ]);
    await resourceClient(client, deployments).patch(
      'default/shop',
      { spec: { replicas: 2 } },
      { subresource: 'scale' },
    );
    expect(words()).toEqual(['patch deployments default/shop']);
    const call = { verb: 'create', resource: pods, target: {}, waitForCache: true } as const;
    expect(confirmedWrite(call, { kind: 'Status', status: 'Success' })).toBeUndefined();
  });

  it('records each object of a deleted collection, and that it may be only terminating', async () => {
    const { client, writes } = recorded();
    const direct = resourceClient(client, configMaps);
    const created = await direct.create(settings);
    writes.splice(0);
    await direct.deleteCollection({ namespace: 'default', dryRun: true });
    await direct.deleteCollection({ namespace: 'default' });
    const { uid, resourceVersion } = created.metadata;
    expect(writes).toEqual([
      expect.objectContaining({
        verb: 'delete',
        uid,
        resourceVersion,
        replacedVersion: resourceVersion,
        isGone: undefined,
      }),
    ]);
  });

  it('records writes through a wrapper that passes on the properties of a request', async () => {
    const { client, words } = recorded();
    const wrapper: KubeClient = {
      exchange: (request) => client.exchange({ ...request, headers: { ...request.headers, 'x-trace': '1' } }),
    };
    await resourceClient(wrapper, configMaps).create(settings);
    expect(words()).toEqual(['create configmaps default/a']);
  });

  it('marks a write with waitForCache: false', async () => {
    const { client, words } = recorded();
    await resourceClient(client, configMaps).create(settings, { waitForCache: false });
    expect(words()).toEqual(['create configmaps default/a not waited for']);
  });

  it('takes the uid of a deleted object from the preconditions if the response has none', () => {
    const target = { namespace: 'default', name: 'a' };
    const call = { verb: 'delete', resource: configMaps, target, uid: 'u1', waitForCache: true } as const;
    expect(confirmedWrite(call, { kind: 'Status' })).toMatchObject({ uid: 'u1', isGone: true });
    expect(confirmedWrite({ ...call, uid: undefined }, { kind: 'Status' })).toBeUndefined();
  });
});

describe('resourceClient(…).via', () => {
  it('is the same client over another connection', async () => {
    const { client, server, words } = recorded();
    const longLived = resourceClient<KubernetesObject>(server.client, configMaps, { fieldManager: 'long-lived' });
    const inRun = longLived.via(client);
    await longLived.apply({ metadata: { name: 'before', namespace: 'default' } });
    await inRun.apply({ metadata: { name: 'during', namespace: 'default' } });
    expect([inRun.resource, inRun.client]).toEqual([configMaps, client]);
    expect(words()).toEqual(['apply configmaps default/during']);
  });
});
