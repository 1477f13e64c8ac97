import type { KubernetesNode, Pod } from 'rx-informers';
import { isTrouble, nodeStatus, podStatus, severities } from 'rx-informers/resources';
import { aNode, aPod } from 'rx-informers/testing';
import { podIn, podStates } from '../fixtures/pod-states.js';

const now = Date.parse('2026-03-01T12:00:00Z');
const states = podStates(now);

describe('podStatus', () => {
  it.each(states.map((state) => [state.name, state] as const))(
    'shows and rates a pod as kubectl does: %s',
    (_, state) => {
      const { reason, ready, restartsText, severity } = podStatus(podIn(state, now), { now });
      expect({
        prints: { status: reason, ready: `${ready.ready}/${ready.total}`, restarts: restartsText },
        severity,
      }).toEqual({ prints: state.prints, severity: state.severity });
    },
  );

  it('has at least 40 states, each with its own name', () => {
    expect(new Set(states.map(({ name }) => name)).size).toBe(states.length);
    expect(states.length).toBeGreaterThanOrEqual(40);
  });

  it('returns the time of the last restart, and its age only if `now` is passed', () => {
    const state = states.find(({ name }) => name === 'running-restarted');
    const summary = podStatus(podIn(state!, now));
    expect(summary).toMatchObject({ restarts: 14, lastRestart: '2026-03-01T11:13:00Z', restartsText: '14' });
  });

  it('returns when a pod that is being deleted becomes trouble, and rates it so from then on', () => {
    const pod = { ...aPod({ name: 'a', node: 'n' }) };
    const leaving = { ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2026-03-01T12:00:30Z' } } as Pod;
    const { changesAt, severity } = podStatus(leaving, { now });
    expect([changesAt, severity]).toEqual([now + 40_000, 'progressing']);
    expect(podStatus(leaving, { now: now + 39_999 }).severity).toBe('progressing');
    expect(podStatus(leaving, { now: now + 40_000 })).toMatchObject({ severity: 'failing', changesAt: undefined });
    expect(podStatus(leaving)).toMatchObject({ severity: 'progressing', changesAt: now + 40_000 });
    expect(podStatus(pod, { now }).changesAt).toBeUndefined();
  });

  it('treats a pod without a status as pending', () => {
    const { status: _, ...pod } = aPod({ name: 'a' });
    expect(podStatus(pod as Pod)).toMatchObject({ reason: 'Pending', restarts: 0, severity: 'progressing' });
  });

  it('treats an unknown restart time, which is null in JSON, as missing', () => {
    const containerStatuses = [
      { name: 'a', ready: true, restartCount: 2, lastState: { terminated: { exitCode: 0, finishedAt: null } } },
    ];
    const pod = { ...aPod({ name: 'a' }), status: { phase: 'Running', containerStatuses } } as unknown as Pod;
    expect(podStatus(pod, { now })).toMatchObject({ restartsText: '2', lastRestart: undefined });
  });

  it.each([
    [0, '0s'],
    [119, '119s'],
    [120, '2m'],
    [599, '9m59s'],
    [600, '10m'],
    [3 * 3600 - 1, '179m'],
    [3 * 3600, '3h'],
    [8 * 3600 - 1, '7h59m'],
    [8 * 3600, '8h'],
    [48 * 3600 - 1, '47h'],
    [48 * 3600, '2d'],
    [49 * 3600, '2d1h'],
    [8 * 86400, '8d'],
    [729 * 86400, '729d'],
    [730 * 86400, '2y'],
    [800 * 86400, '2y70d'],
    [8 * 365 * 86400 + 86400, '8y'],
    [-5, '0s'],
  ])('shows a restart %d s ago as "%s ago"', (seconds, text) => {
    const finishedAt = new Date(now - seconds * 1000).toISOString();
    const containerStatuses = [{ name: 'a', restartCount: 1, lastState: { terminated: { exitCode: 1, finishedAt } } }];
    const pod = { ...aPod({ name: 'a' }), status: { phase: 'Running', containerStatuses } } as unknown as Pod;
    expect(podStatus(pod, { now }).restartsText).toBe(`1 (${text} ago)`);
  });
});

describe('the severities', () => {
  it('are in order, worst first, and the first three need attention', () => {
    expect(severities.filter(isTrouble)).toEqual(['failing', 'failed', 'warning']);
    expect(severities.slice(0, 3)).toEqual(['failing', 'failed', 'warning']);
  });
});

describe('nodeStatus', () => {
  const ready = { type: 'Ready', status: 'True' };
  const nodeWith = (
    status: NonNullable<KubernetesNode['status']>,
    spec: NonNullable<KubernetesNode['spec']> = {},
  ): KubernetesNode => ({
    ...aNode({ name: 'n' }),
    spec,
    status,
  });
  const unreachable = { taints: [{ key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' }] };

  it.each<[string, KubernetesNode, ReturnType<typeof nodeStatus>]>([
    ['is ready', nodeWith({ conditions: [ready] }), { reason: 'Ready', severity: 'ok', troubles: [] }],
    [
      'is cordoned',
      nodeWith({ conditions: [ready] }, { unschedulable: true }),
      { reason: 'Ready,SchedulingDisabled', severity: 'progressing', troubles: [] },
    ],
    [
      'is not ready',
      nodeWith({ conditions: [{ type: 'Ready', status: 'False' }] }),
      { reason: 'NotReady', severity: 'failing', troubles: [] },
    ],
    [
      'does not respond',
      nodeWith({ conditions: [{ type: 'Ready', status: 'Unknown' }] }, unreachable),
      { reason: 'NotReady', severity: 'failing', troubles: ['Unreachable'] },
    ],
    [
      'does not respond, and was ready when it last did',
      nodeWith({ conditions: [ready] }, unreachable),
      { reason: 'Ready', severity: 'failing', troubles: ['Unreachable'] },
    ],
    [
      'is not ready and cordoned',
      nodeWith({ conditions: [{ type: 'Ready', status: 'False' }] }, { unschedulable: true }),
      { reason: 'NotReady,SchedulingDisabled', severity: 'failing', troubles: [] },
    ],
    [
      'is short of memory and disk',
      nodeWith({
        conditions: [
          { type: 'MemoryPressure', status: 'True' },
          { type: 'DiskPressure', status: 'True' },
          { type: 'PIDPressure', status: 'False' },
          ready,
        ],
      }),
      { reason: 'Ready', severity: 'warning', troubles: ['MemoryPressure', 'DiskPressure'] },
    ],
    [
      'has no network',
      nodeWith({ conditions: [{ type: 'NetworkUnavailable', status: 'True' }, ready] }),
      { reason: 'Ready', severity: 'warning', troubles: ['NetworkUnavailable'] },
    ],
    ['has no conditions', nodeWith({}), { reason: 'Unknown', severity: 'failing', troubles: [] }],
  ])('shows and rates a node that %s', (_, node, expected) => {
    expect(nodeStatus(node)).toEqual(expected);
  });
});
