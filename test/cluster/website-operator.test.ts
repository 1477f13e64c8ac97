import { leases, listWatch, type Lease } from 'rx-informers';
import { completeForm, plainForm } from '../../examples/test/website-operator/forms.js';
import { play, type Play } from '../../examples/test/website-operator/play.js';
import { has } from '../../examples/test/website-operator/readings.js';
import { describeWebsiteOperator } from '../../examples/test/website-operator/scenarios.js';
import { websites } from '../../examples/website-operator/website.js';
import { connect } from './support/cluster.js';
import { eventually } from './support/eventually.js';
import { kubectlGet } from './support/kubectl.js';
import { startOperator, type LogLine, type OperatorProcess } from './support/operator-process.js';
import { installWebsites, uninstallWebsites, websitePlayhouse } from './support/website-playhouse.js';

const cluster = connect();
beforeAll(() => installWebsites(cluster));
afterAll(async () => {
  await uninstallWebsites(cluster);
  await cluster.cleanUp();
});
const playhouse = websitePlayhouse({ cluster: () => cluster, storesEvents: false });

describe('the website operator with a real API server', () => {
  describeWebsiteOperator(playhouse, completeForm);
  describeWebsiteOperator(playhouse, plainForm);
});

describe('two replicas, each in a process of its own', () => {
  const [leaseDuration, renewDeadline, retryPeriod] = [8_000, 6_000, 500];
  const onStandby = 'on standby; another replica leads';
  let scenario: Play;
  let replicas: OperatorProcess[] = [];
  beforeEach(async () => {
    scenario = await play(playhouse, completeForm);
  });
  afterEach(async () => {
    for (const replica of replicas) replica.signal('SIGKILL');
    await Promise.all(replicas.map(({ exited }) => exited));
    replicas = [];
    await scenario.close();
  });

  it('L3, L6: take over from a killed leader when its lease has expired and not before, and from a stopped leader at once', async () => {
    const { settled } = scenario;
    const [first, second] = [start('operator-0'), start('operator-1')];
    await create('a');
    await settled(has('a'));
    const holder = (await lease())?.spec?.holderIdentity;
    const [leader, other] = first.identity === holder ? [first, second] : [second, first];
    await eventually(other.lines$, (line) => line.message === onStandby && line['holder'] === holder);

    leader.signal('SIGKILL');
    await leader.exited;
    const last = (await lease())?.spec;
    expect(last?.holderIdentity).toBe(leader.identity);
    const replacement = start('operator-2');
    await create('b');
    const afterRenewal = timeOf(await said(other, 'became leader')) - Date.parse(last?.renewTime ?? '');
    console.info(
      `takeover ${afterRenewal} ms after the killed leader's last renewal, of a lease of ${leaseDuration} ms`,
    );
    expect(afterRenewal).toBeGreaterThanOrEqual(leaseDuration);
    await settled(has('a', 'b'));

    await eventually(replacement.lines$, (line) => line.message === onStandby && line['holder'] === other.identity);
    // It releases the lease, so that the replacement need not wait until the lease expires.
    const released = eventually(listWatch(cluster.client, leases, { namespace: scenario.stage.namespace }), (events) =>
      events.some((event) => 'object' in event && event.object.spec?.holderIdentity === ''),
    );
    other.signal('SIGTERM');
    await create('c');
    await released;
    await said(replacement, 'became leader');
    expect(await other.exited).toBe(0);
    await settled(has('a', 'b', 'c'));

    replacement.signal('SIGTERM');
    expect(await replacement.exited).toBe(0);
    await said(replacement, 'stopped the process');
    expect((await lease())?.spec?.holderIdentity).toBe('');
  });

  function start(identity: string): OperatorProcess {
    const { namespace } = scenario.stage;
    const replica = startOperator(identity, [
      ...['--kubeconfig', cluster.kubeConfigFile, '--namespace', namespace, '--watch-namespace', namespace],
      ...['--leader-elect-lease-duration', `${leaseDuration}ms`],
      ...['--leader-elect-renew-deadline', `${renewDeadline}ms`, '--leader-elect-retry-period', `${retryPeriod}ms`],
    ]);
    replicas.push(replica);
    return replica;
  }

  function create(name: string): Promise<void> {
    return scenario.stage.user.create(websites, name, { spec: { image: 'nginx' } });
  }

  async function lease(): Promise<Lease | undefined> {
    return (await kubectlGet<Lease>(cluster, leases, scenario.stage.namespace))[0];
  }
});

function said({ lines$ }: OperatorProcess, message: string): Promise<LogLine> {
  return eventually(lines$, (line) => line.message === message, 20_000);
}

function timeOf({ time }: LogLine): number {
  return Date.parse(time);
}
