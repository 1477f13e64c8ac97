import { configMaps, type ConfigMap } from 'rx-informers';
import { reviewAccess, reviewRights } from 'rx-informers/requests';
import { firstValueFrom } from 'rxjs';
import { connect } from '../../../../test/cluster/support/cluster.js';
import { customKind } from '../../../../test/cluster/support/custom-kind.js';
import { requestKinds } from '../../page/kinds/discovery.js';
import { send } from '../../page/writes/writes.js';

const cluster = connect();
const { client } = cluster;

afterAll(() => cluster.cleanUp());

describe('the views of the dashboard with a real API server', () => {
  it('discovery finds built-in and custom kinds', async () => {
    const custom = customKind(cluster);
    const installed = await custom.install();
    const { group, version, plural } = installed;
    const { kinds } = await firstValueFrom(requestKinds(client));
    const ids = kinds.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining(['v1/pods', 'v1/configmaps', `${group}/${version}/${plural}`]));
    expect(ids).not.toContain('v1/pods/status');
    await custom.uninstall();
  });

  it('access reviews return what the user may do, or nothing if the server does not support them', async () => {
    const right = await firstValueFrom(reviewAccess(client, { verb: 'list', resource: configMaps }));
    expect(['allowed', 'unknown']).toContain(right);
    const rules = await firstValueFrom(reviewRights(client, 'default'));
    expect(['allowed', 'unknown']).toContain(rules.right('list', configMaps));
  });

  it('a dry run changes nothing, a replace does, and an outdated version is reported as a conflict', async () => {
    const namespace = await cluster.createNamespace();
    const created = await cluster.create<ConfigMap>(configMaps, {
      metadata: { name: 'settings', namespace },
      data: { mode: 'light' },
    });
    const opened = { resource: 'v1/configmaps', key: `${namespace}/settings` };
    const object = { ...created, apiVersion: 'v1', kind: 'ConfigMap', data: { mode: 'dark' } };
    const replace = (isDryRun: boolean) => firstValueFrom(send(client, opened, { type: 'replace', object, isDryRun }));
    const checked = (await replace(true)) as ConfigMap;
    expect(checked.data).toEqual({ mode: 'dark' });
    expect(checked.metadata.resourceVersion).toBe(created.metadata.resourceVersion);
    await replace(false);
    await expect(replace(false)).rejects.toThrow('The object has changed in the meantime');
    await firstValueFrom(
      send(client, opened, { type: 'delete', uid: created.metadata.uid, at: new Date().toISOString() }),
    );
    await expect(replace(false)).rejects.toThrow('The object no longer exists.');
  });
});
