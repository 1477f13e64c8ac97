import type { Deployment, KubernetesNode, Pod } from 'rx-informers';
import { aDeployment, aNode, aPod } from 'rx-informers/testing';
import { emptyLog, maxEntries, withOccurrences, type Occurrence } from '../../page/timeline/timeline-log.js';
import { transitionsOf, type Versions } from '../../page/timeline/transitions.js';

const running = aPod({ name: 'web-1', node: 'n1' });
const pending = aPod({ name: 'web-1', phase: 'Pending' });

const withState = (state: object, restartCount = 0, lastState: object = {}): Pod => ({
  ...running,
  status: {
    ...running.status,
    conditions: [{ type: 'Ready', status: 'False' }],
    containerStatuses: [{ name: 'main', image: 'a', imageID: '', ready: false, restartCount, state, lastState }],
  },
});

const crashing = withState({ waiting: { reason: 'CrashLoopBackOff' } }, 1, { terminated: { exitCode: 1 } });
const restartedPod = withState({ running: {} }, 1, {
  terminated: { exitCode: 137, reason: 'OOMKilled', finishedAt: '2026-01-01T00:00:00Z' },
});
const unready = withState({ running: {} });

const leaving = { ...running, metadata: { ...running.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } } as Pod;
function beingDeleted<T extends KubernetesNode | Deployment>(object: T): T {
  return { ...object, metadata: { ...object.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
}
const another = { ...aPod({ name: 'web-1', node: 'n2' }), metadata: { ...running.metadata, uid: 'another' } } as Pod;

const node = aNode({ name: 'n1' });
const lostNode = aNode({ name: 'n1', ready: false });
const cordoned = { ...node, spec: { ...node.spec, unschedulable: true } } as KubernetesNode;

const deployment = (replicas: number, image = 'app:1', reason?: string): Deployment => ({
  ...aDeployment({ name: 'web', replicas, image }),
  status: reason === undefined ? {} : { conditions: [{ type: 'Progressing', status: 'True', reason }] },
});

const pods = (before: Pod | undefined, after: Pod | undefined): Versions => ({ kind: 'Pod', before, after });
const nodes = (before: KubernetesNode | undefined, after: KubernetesNode | undefined): Versions => ({
  kind: 'Node',
  before,
  after,
});
const deployments = (before: Deployment | undefined, after: Deployment | undefined): Versions => ({
  kind: 'Deployment',
  before,
  after,
});

describe('what happened between two versions of an object', () => {
  it.each<[string, Versions, readonly string[]]>([
    ['nothing', pods(running, running), []],
    ['a pod is added', pods(undefined, pending), ['movement created']],
    ['a pod is deleted', pods(running, undefined), ['movement deleted']],
    [
      'a pod is scheduled and becomes ready',
      pods(pending, running),
      ['recovery became ready', 'movement scheduled n1'],
    ],
    ['a pod is no longer ready', pods(running, unready), ['trouble became NotReady']],
    [
      'a pod crashes',
      pods(running, crashing),
      ['trouble CrashLoopBackOff', 'trouble restarted main, exit 1', 'trouble became NotReady'],
    ],
    ['a pod runs out of memory', pods(unready, restartedPod), ['trouble OOMKilled, restarted main, exit 137']],
    ['a pod is terminating', pods(running, leaving), ['movement is being deleted']],
    ['a pod is on another node', pods(running, another), ['movement rescheduled n1 → n2']],
    ['a node is lost', nodes(node, lostNode), ['trouble became NotReady']],
    ['a node is ready again', nodes(lostNode, node), ['recovery became Ready']],
    ['a node is cordoned', nodes(node, cordoned), ['movement cordoned']],
    ['a node is uncordoned', nodes(cordoned, node), ['movement uncordoned']],
    ['a node is deleted', nodes(node, undefined), ['trouble node removed']],
    ['a node waits for its finalizers', nodes(node, beingDeleted(node)), ['movement is being deleted']],
    [
      'a Deployment waits for its pods',
      deployments(deployment(3), beingDeleted(deployment(3))),
      ['movement is being deleted'],
    ],
    ['a Deployment is scaled', deployments(deployment(3), deployment(5)), ['movement scaled 3 → 5']],
    [
      'a Deployment has another image',
      deployments(deployment(3), deployment(3, 'x/app:2')),
      ['movement rollout started app:2'],
    ],
    [
      'a rollout of a Deployment completes',
      deployments(deployment(3, 'a', 'ReplicaSetUpdated'), deployment(3, 'a', 'NewReplicaSetAvailable')),
      ['recovery rollout finished'],
    ],
    [
      'a rollout of a Deployment makes no progress',
      deployments(deployment(3, 'a', 'ReplicaSetUpdated'), deployment(3, 'a', 'ProgressDeadlineExceeded')),
      ['trouble rollout stuck'],
    ],
  ])('%s', (_, versions, expected) => {
    const said = transitionsOf(versions).map(({ tone, what, detail = '' }) => `${tone} ${what} ${detail}`.trim());
    expect(said).toEqual(expected);
  });
});

describe('the timeline', () => {
  const occurrence = (
    name: string,
    time: number,
    what = 'became ready',
    more: Partial<Occurrence> = {},
  ): Occurrence => ({
    time,
    tone: 'recovery',
    what,
    detail: undefined,
    object: { kind: 'Pod', resource: 'v1/pods', key: `shop/${name}` },
    group: 'shop/Deployment/web',
    pairs: [],
    ...more,
  });
  const lines = (occurrences: readonly Occurrence[]): readonly string[] =>
    withOccurrences(emptyLog, occurrences).entries.map(
      ({ what, count, objects }) => `${what} ×${count} of ${objects.length}`,
    );

  it('shows the same event for several pods of one workload within half a minute as one line', () => {
    expect(lines([occurrence('a', 0), occurrence('b', 1000), occurrence('c', 2000)])).toEqual(['became ready ×3 of 3']);
    expect(lines([occurrence('a', 0), occurrence('b', 60_000)])).toEqual([
      'became ready ×1 of 1',
      'became ready ×1 of 1',
    ]);
    expect(lines([occurrence('a', 0), occurrence('b', 0, 'created')])).toEqual([
      'created ×1 of 1',
      'became ready ×1 of 1',
    ]);
  });

  it('shows an Event that the API server counts as one line, the newest first', () => {
    const event = (count: number, time: number): Occurrence =>
      occurrence('a', time, 'BackOff', { series: { id: 'e', count } });
    expect(lines([event(3, 0), occurrence('b', 1000), event(9, 300_000)])).toEqual([
      'BackOff ×9 of 1',
      'became ready ×1 of 1',
    ]);
  });

  it('shows a transition and its Event once', () => {
    const event = occurrence('a', 1000, 'CrashLoopBackOff', { series: { id: 'e', count: 4 }, detail: 'back-off' });
    expect(lines([occurrence('a', 0, 'CrashLoopBackOff'), event])).toEqual(['CrashLoopBackOff ×4 of 1']);
  });

  it('orders by time, even if earlier events arrive later', () => {
    const log = withOccurrences(emptyLog, [
      occurrence('a', 5000, 'x'),
      occurrence('a', 2000, 'y'),
      occurrence('a', 4000, 'z'),
    ]);
    expect(log.entries.map(({ what }) => what)).toEqual(['x', 'z', 'y']);
  });

  it('drops the oldest lines, so its memory is bounded', () => {
    const many = Array.from({ length: maxEntries + 10 }, (_, index) => occurrence('a', index, `what ${index}`));
    const { entries } = withOccurrences(emptyLog, many);
    expect(entries.length).toBe(maxEntries);
    expect(entries[0]?.what).toBe(`what ${maxEntries + 9}`);
  });
});
