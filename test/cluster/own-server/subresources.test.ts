import { deployments, pods } from 'rx-informers';
import { resourceClient } from 'rx-informers/requests';
import { serviceAccounts } from 'rx-informers/resources';
import { connect, type Cluster } from '../support/cluster.js';
import { startRig, type Rig } from '../support/rig.js';

let rig: Rig;
let cluster: Cluster;
beforeAll(async () => {
  rig = await startRig({ kind: 'kube120' });
  cluster = connect(rig.kubeConfigFile);
});
afterAll(() => rig.stop());

const metadata = { namespace: 'default', name: 'web' };
const template = {
  metadata: { labels: { app: 'web' } },
  spec: { schedulerName: 'none', containers: [{ name: 'main', image: 'example.com/none' }] },
};

describe('a subresource of another kind, of a real API server', () => {
  it('scales a deployment, also to 0, which the answer omits', async () => {
    const client = resourceClient(cluster.client, deployments);
    await client.create({ metadata, spec: { replicas: 1, selector: { matchLabels: { app: 'web' } }, template } });
    const scale = await client.get('default/web', { subresource: 'scale' });
    expect(scale).toMatchObject({ kind: 'Scale', apiVersion: 'autoscaling/v1', spec: { replicas: 1 } });
    const { apiVersion: _, kind: __, ...untyped } = scale;
    await client.update({ ...untyped, spec: { replicas: 2 } } as typeof scale, { subresource: 'scale' });
    expect((await client.get('default/web')).spec?.replicas).toBe(2);
    const none = await client.patch('default/web', { spec: { replicas: 0 } }, { subresource: 'scale' });
    expect(none.spec.replicas ?? 0).toBe(0);
  });

  it('evicts a pod', async () => {
    const client = resourceClient(cluster.client, pods);
    await client.create({ metadata, spec: template.spec });
    const eviction = { apiVersion: 'policy/v1beta1', metadata };
    const answer = await client.create(eviction, { subresource: 'eviction' });
    expect(answer).toMatchObject({ kind: 'Status', status: 'Success' });
    expect(await client.getOrUndefined('default/web')).toBeUndefined();
  });

  it('requests a token of a service account', async () => {
    const client = resourceClient(cluster.client, serviceAccounts);
    await client.create({ metadata });
    const { status } = await client.create({ metadata, spec: { expirationSeconds: 600 } }, { subresource: 'token' });
    expect(status.token.split('.')).toHaveLength(3);
    expect(Date.parse(status.expirationTimestamp)).toBeGreaterThan(Date.now());
  });
});
