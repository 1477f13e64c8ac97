import { scaleUps, type ScaleUpsOptions } from '../../../bench/fixtures/scale-ups.js';
import { connect } from '../support/cluster.js';
import { startRig, type Rig } from '../support/rig.js';

const bar = { parents: 5, scaleUps: 150, late: 2_000, every: 10 };

describe('a controller with the client option never acts on a stale cache', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig();
  });
  afterAll(() => rig.stop());

  const run = async (options: Partial<ScaleUpsOptions>) => {
    const cluster = connect(rig.kubeConfigFile);
    const namespace = await cluster.createNamespace();
    return scaleUps(cluster.client, { ...bar, namespace, isGuarded: true, ...options });
  };

  it('creates no surplus child in 150 scale-ups while the watch is two seconds late; without the option it creates many', async () => {
    expect(await run({})).toMatchObject({ surplus: 0, missing: 0, timeouts: 0, overlaps: 0 });
    expect((await run({ isGuarded: false })).surplus).toBeGreaterThan(10);
  });

  it('creates no surplus child and no key waits for the timeout while the watch is prompt', async () => {
    // The scenario stale-cache of the benchmark measures how long keys wait.
    expect(await run({ late: 0 })).toMatchObject({ surplus: 0, missing: 0, timeouts: 0, overlaps: 0 });
  });

  it('releases a key whose children a selector never matches: at once for labels, after observeTimeout for fields', async () => {
    // A bookmark would end it after about a second.
    const few = { parents: 2, scaleUps: 6, late: 0, every: 20, observeTimeout: 200 };
    const byLabel = await run({ ...few, children: { labelSelector: 'never=shown' } });
    expect([byLabel.missing, byLabel.timeouts]).toEqual([0, 0]);
    const byField = await run({ ...few, children: { fieldSelector: 'metadata.name=never' } });
    expect(byField.missing).toBe(0);
    expect(byField.timeouts).toBeGreaterThan(0);
  });

  it('no key stays blocked after a restart of the API server with a compaction', async () => {
    // A create whose answer is lost with the server may be repeated: surplus children are not
    // excluded here.
    let restarted: Promise<void> | undefined;
    const meanwhile = (done: number): void => {
      if (done === 150) restarted = rig.compact().then(() => rig.restart());
    };
    const result = await run({ parents: 20, scaleUps: 300, late: 500, every: 20, meanwhile });
    await restarted;
    expect([result.missing, result.overlaps, result.timeouts]).toEqual([0, 0, 0]);
  });
});
