import { informer, configMaps, listWatch, isRxInformersError } from 'rx-informers';
import { timeouts } from '../../../src/sources/reflector/alarm.js';
import { configMap, connect } from '../support/cluster.js';
import { eventually } from '../support/eventually.js';
import { follow, story } from '../support/follower.js';
import { startRig, type Rig } from '../support/rig.js';

timeouts.open = 2_000;

let rig: Rig;
beforeAll(async () => {
  rig = await startRig();
});
afterAll(() => rig.stop());

describe('an informer of an API server that hangs with its connections open', () => {
  it('G6: detects it when the watch does not end in time, and continues when the server does', async () => {
    const cluster = connect(rig.kubeConfigFile);
    const namespace = await cluster.createNamespace();
    await cluster.create(configMaps, configMap(namespace, 'a'));
    const limits = { watchTimeout: [3, 3], grace: 1_000, listSilence: 2_000 } as const;
    const followed = informer(listWatch(cluster.client, configMaps, { namespace, ...limits }));
    const follower = follow(followed);
    await followed.whenSynced();

    const detected = eventually(followed.errors$, (error) => isRxInformersError(error, 'RXI_SILENT_CONNECTION'));
    rig.freeze();
    await detected;
    expect(followed.status.state).not.toBe('watching');
    expect(followed.keys()).toEqual([`${namespace}/a`]);

    rig.thaw();
    await cluster.create(configMaps, configMap(namespace, 'b'));
    await eventually(followed.get$(`${namespace}/b`), (object) => object !== undefined);
    await eventually(followed.status$, ({ state }) => state === 'watching');
    expect(followed.keys()).toEqual([`${namespace}/a`, `${namespace}/b`]);
    expect(story(follower).map((line) => line.replace(/^\w+ /, ''))).toEqual([
      `added ${namespace}/a`,
      `added ${namespace}/b`,
    ]);
  });
});
