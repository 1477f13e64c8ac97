import { deployments, pods, replicaSets, type Resource } from 'rx-informers';
import { resourceClient } from 'rx-informers/requests';
import { randomFromSeed } from 'rx-informers/testing';
import { defer, repeat, timer } from 'rxjs';
import { completeForm } from '../../../../examples/test/website-operator/forms.js';
import { play, type Play } from '../../../../examples/test/website-operator/play.js';
import { isReady, readyOf } from '../../../../examples/test/website-operator/readings.js';
import { websites } from '../../../../examples/website-operator/website.js';
import { seed, seedOf } from '../../../support/seed.js';
import { connect, type Cluster } from '../../support/cluster.js';
import { startRigWithControllers } from '../../support/controllers.js';
import { eventually } from '../../support/eventually.js';
import type { Rig } from '../../support/rig.js';
import { installWebsites, websitePlayhouse } from '../../support/website-playhouse.js';
import { actions } from './actions.js';
import { churn, type ChurnReport } from './churn.js';
import { compareDeletions } from './embedded.js';
import { plantedFaults } from './faults.js';

const seconds = Number(process.env['CHURN_SECONDS'] ?? 90);
const steps = Number(process.env['CHURN_STEPS'] ?? Infinity);
const plans = 30;

let rig: Rig;
let cluster: Cluster;
beforeAll(async () => {
  rig = await startRigWithControllers();
  cluster = connect(rig.kubeConfigFile);
}, 120_000);
afterAll(() => rig.stop());

describe('derived collections beside the controllers of Kubernetes', () => {
  let report: ChurnReport;
  beforeAll(
    async () => {
      report = await churn({ cluster, random: randomFromSeed(seedOf('churn')), steps, seconds });
      console.info(`churn with SEED=${seed}: ${JSON.stringify(report, undefined, 2)}`);
    },
    (seconds + 300) * 1000,
  );

  it('J2: joins, groups, trees and counts equal what the controllers wrote, after each step', () => {
    expect(report.unexplained).toEqual([]);
  });

  it('J1: in each callback, all derived collections equal the function of their inputs', () => {
    expect(report.glitches).toEqual([]);
    expect(report.callbacks).toBeGreaterThan(report.steps);
  });

  it('takes each action', () => {
    expect(Object.keys(report.taken).sort()).toEqual(Object.keys(actions).sort());
  });

  it.each(plantedFaults.map(({ name }) => name))('finds the planted fault: %s', (name) => {
    expect(report.found[name]).toBeGreaterThan(0);
  });
});

describe('the embedded API server beside the controllers of Kubernetes', () => {
  it('deletes, keeps and orphans the same objects, after random deletions of objects and namespaces', async () => {
    const report = await compareDeletions(cluster, randomFromSeed(seedOf('deletions')), plans);
    console.info(`deletions with SEED=${seed}: ${JSON.stringify(report)}`);
    expect(report.differences).toEqual([]);
    expect(report.survivors).toBeGreaterThan(plans);
  }, 400_000);
});

describe('the website operator beside the controllers of Kubernetes', () => {
  let scenario: Play;
  beforeAll(() => installWebsites(cluster));
  beforeEach(async () => {
    const playhouse = websitePlayhouse({ cluster: () => cluster, storesEvents: true });
    scenario = await play({ ...playhouse, collectsGarbage: true }, completeForm);
    scenario.start();
  });
  afterEach(() => scenario.close());

  it('a website becomes ready, follows a rollout, and takes its Deployment and its pods with it', async () => {
    const { user, namespace } = scenario.stage;
    await user.create(websites, 'shop', { spec: { image: 'nginx:1.28', replicas: 2 } });
    const first = await scenario.settled(isReady('shop'));
    expect(readyOf(first, 'shop').message).toBe('2 of 2 replicas are ready');
    expect(await left(pods, namespace)).toBe(2);

    await user.patch(websites, 'shop', { spec: { image: 'nginx:1.29', replicas: 3 } });
    const second = await scenario.settled(
      (state) => isReady('shop')(state) && state.deployments[0]?.status?.updatedReplicas === 3,
    );
    expect(readyOf(second, 'shop')).toMatchObject({ message: '3 of 3 replicas are ready', observedGeneration: 2 });
    await eventually(polled(pods, namespace), (number) => number === 3);

    await user.remove(websites, 'shop');
    for (const kind of [deployments, replicaSets, pods])
      await eventually(polled<unknown>(kind, namespace), (number) => number === 0);
    expect((await scenario.settled()).services).toEqual([]);
  });
});

async function left<T>(kind: Resource<T>, namespace: string): Promise<number> {
  return (await resourceClient(cluster.client, kind).list({ namespace })).length;
}

function polled<T>(kind: Resource<T>, namespace: string) {
  return defer(() => left(kind, namespace)).pipe(repeat({ delay: () => timer(100) }));
}
