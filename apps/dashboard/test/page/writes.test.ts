import { deployments, nodes, type Deployment, type KubernetesNode } from 'rx-informers';
import { aDeployment, aNode, createInMemoryApiServer, virtualClock } from 'rx-informers/testing';
import { firstValueFrom } from 'rxjs';
import { offersOf, send, type Write } from '../../page/writes/writes.js';

const opened = { resource: 'apps/v1/deployments', key: 'default/web' };

const at = '2026-01-31T14:02:31Z';

function cluster() {
  const server = createInMemoryApiServer({ scheduler: virtualClock() });
  const [deployment] = server.apply([aDeployment({ name: 'web', replicas: 2 }), aNode({ name: 'n1' })]);
  const sent = (write: Write, to = opened) => firstValueFrom(send(server.client, to, write));
  const now = () => server.objects.get<Deployment>(deployments, 'web', 'default');
  return { server, deployment: deployment as Deployment, sent, now };
}

describe('the write actions of the dashboard', () => {
  it('are offered as the kind supports them, and never for Secrets', () => {
    expect(offersOf('apps/v1/deployments').map(({ type }) => type)).toEqual(['scale', 'restart', 'replace', 'delete']);
    expect(offersOf('v1/nodes').map(({ type }) => type)).toEqual(['cordon', 'replace', 'delete']);
    expect(offersOf('example.com/v1/widgets').map(({ type }) => type)).toEqual(['replace', 'delete']);
    expect(offersOf('v1/secrets')).toEqual([]);
  });

  it('scale through the subresource', async () => {
    const { sent, now } = cluster();
    await sent({ type: 'scale', replicas: 5 });
    expect(now()?.spec?.replicas).toBe(5);
  });

  it('restart as kubectl does, with an annotation of the template', async () => {
    const { sent, now } = cluster();
    await sent({ type: 'restart', at: '2026-01-31T14:02:31Z' });
    expect(now()?.spec?.template.metadata?.annotations).toEqual({
      'kubectl.kubernetes.io/restartedAt': '2026-01-31T14:02:31Z',
    });
    expect(now()?.spec?.template.metadata?.labels).toEqual({ app: 'web' });
  });

  it('cordon and uncordon', async () => {
    const { server, sent } = cluster();
    const node = { resource: 'v1/nodes', key: 'n1' };
    const isCordoned = () => server.objects.get<KubernetesNode>(nodes, 'n1')?.spec?.unschedulable;
    await sent({ type: 'cordon', isCordoned: true }, node);
    expect(isCordoned()).toBe(true);
    await sent({ type: 'cordon', isCordoned: false }, node);
    expect(isCordoned()).toBeUndefined();
  });

  it('delete the shown object, and not another one that has taken its name', async () => {
    const { deployment, sent, now } = cluster();
    await expect(sent({ type: 'delete', uid: 'another', at })).rejects.toThrow(
      'The object has changed in the meantime',
    );
    await sent({ type: 'delete', uid: deployment.metadata.uid, at });
    expect(now()).toBeUndefined();
    await expect(sent({ type: 'delete', uid: undefined, at })).rejects.toThrow('The object no longer exists.');
  });

  it('replace in a dry run without changes, then for real, and explain a conflict', async () => {
    const { deployment, sent, now } = cluster();
    const object = { ...deployment, spec: { ...deployment.spec, replicas: 7 } } as Deployment;
    const answer = (await sent({ type: 'replace', object, isDryRun: true })) as Deployment;
    expect([answer.spec?.replicas, now()?.spec?.replicas]).toEqual([7, 2]);
    await sent({ type: 'replace', object, isDryRun: false });
    expect(now()?.spec?.replicas).toBe(7);
    await expect(sent({ type: 'replace', object, isDryRun: false })).rejects.toThrow(
      'Review it, then repeat the change',
    );
  });
});
