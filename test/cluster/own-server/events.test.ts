import { configMaps } from 'rx-informers';
import { eventRecorder, type EventRecorder, type RecordingOutcome } from 'rx-informers/controller';
import { eventsV1Events } from 'rx-informers/resources';
import { filter, scan, Subscription } from 'rxjs';
import { configMap, connect, type Cluster } from '../support/cluster.js';
import { eventually } from '../support/eventually.js';
import { kubectlGet } from '../support/kubectl.js';
import { startRig, type Rig } from '../support/rig.js';
import { untilTestEnds } from '../support/until-test-ends.js';

// The complete API server, which validates events; the other one does not serve them.
let rig: Rig;
let cluster: Cluster;
beforeAll(async () => {
  rig = await startRig({ kind: 'kube120' });
  cluster = connect(rig.kubeConfigFile);
});
afterAll(() => rig.stop());

const details = { type: 'Normal', reason: 'Tested', action: 'Testing', note: 'the first note' } as const;

describe('eventRecorder with a real API server', () => {
  it('E7: creates the event, turns it into a series on its first repeat, and writes the final count when it is closed', async () => {
    const { recorder, written, namespace } = await start();
    const object = await cluster.create(configMaps, configMap(namespace, 'a'));

    const first = written(1);
    recorder.record(object, details);
    await first;
    expect(await kubectlGet(cluster, eventsV1Events, namespace)).toMatchObject([
      {
        type: 'Normal',
        reason: 'Tested',
        action: 'Testing',
        note: 'the first note',
        reportingController: 'example.com/tests',
        reportingInstance: 'tests-0',
        regarding: { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'a', uid: object.metadata.uid },
      },
    ]);

    const second = written(1);
    recorder.record(object, { ...details, note: 'another note' });
    await second;
    const [series, ...others] = await kubectlGet(cluster, eventsV1Events, namespace);
    expect(others).toEqual([]);
    expect(series).toMatchObject({ note: 'the first note', series: { count: 2 } });

    for (let count = 3; count <= 10; count += 1) recorder.record(object, details);
    await recorder.close();
    expect(await kubectlGet(cluster, eventsV1Events, namespace)).toMatchObject([{ series: { count: 10 } }]);
  });

  it('E7: creates the series again if its event was deleted', async () => {
    const { recorder, written, namespace } = await start();
    const object = await cluster.create(configMaps, configMap(namespace, 'a'));
    const first = written(1);
    recorder.record(object, details);
    await first;
    const [event] = await kubectlGet(cluster, eventsV1Events, namespace);
    if (event) await cluster.remove(eventsV1Events, event);

    recorder.record(object, details);
    await recorder.close();
    expect(await kubectlGet(cluster, eventsV1Events, namespace)).toMatchObject([
      { metadata: { name: event?.metadata.name }, series: { count: 2 } },
    ]);
  });

  it('the server accepts events at the limits: the longest note, reason and action, a related object, a field path, an upper-case name', async () => {
    const { recorder, namespace } = await start();
    const dropped: RecordingOutcome[] = [];
    recorder.outcomes$.pipe(filter(({ type }) => type === 'dropped')).subscribe((outcome) => dropped.push(outcome));
    const object = await cluster.create(configMaps, configMap(namespace, 'a'));
    recorder.record(object, {
      type: 'Warning',
      reason: 'r'.repeat(128),
      action: 'ä'.repeat(64),
      note: '€'.repeat(1_000),
      related: await cluster.create(configMaps, configMap(namespace, 'b')),
    });
    recorder.record(
      { apiVersion: 'v1', kind: 'Pod', namespace, name: 'NotAName', fieldPath: 'spec.containers{main}' },
      details,
    );
    await recorder.close();
    expect(dropped).toEqual([]);
    expect(await kubectlGet(cluster, eventsV1Events, namespace)).toHaveLength(2);
  });

  it('E6: reports what an older server refuses: events about cluster-scoped objects outside of kube-system', async () => {
    const { recorder } = await start();
    const outcomes: RecordingOutcome[] = [];
    recorder.outcomes$.subscribe((outcome) => outcomes.push(outcome));
    recorder.record({ apiVersion: 'v1', kind: 'Node', name: 'a' }, details);
    await recorder.close();
    expect(outcomes).toMatchObject([
      { type: 'dropped', cause: 'refused', occurrences: 1, event: { metadata: { namespace: 'default' } } },
    ]);
    expect(outcomes).toMatchObject([
      { error: { statusCode: 422, message: expect.stringContaining('namespace') as string } },
    ]);
  });
});

interface Started {
  readonly recorder: EventRecorder;
  readonly namespace: string;
  /** Resolves after this many further writes. */
  readonly written: (count: number) => Promise<unknown>;
}

async function start(): Promise<Started> {
  const namespace = await cluster.createNamespace();
  const options = { reportingController: 'example.com/tests', reportingInstance: 'tests-0' };
  const recorder = eventRecorder(cluster.client, options);
  untilTestEnds(
    new Subscription(() => {
      recorder.unsubscribe();
    }),
  );
  const writes$ = recorder.outcomes$.pipe(
    filter(({ type }) => type === 'written'),
    scan((count) => count + 1, 0),
  );
  return { recorder, namespace, written: (count) => eventually(writes$, (writes) => writes === count) };
}
