import type { Pod } from 'rx-informers';
import { aPod } from 'rx-informers/testing';
import { containerRows, nextTryOf } from '../../page/drawer/container-rows.js';
import { podExplanations, podHeadline } from '../../page/drawer/pod-story.js';

const now = Date.parse('2026-03-01T12:00:00Z');
const ago = (seconds: number): string => new Date(now - seconds * 1000).toISOString();

/** A pod with one container in a state. */
function podIn(state: object, { spec = {}, status = {}, metadata = {}, restarts = 0, last = {} } = {}): Pod {
  const pod = aPod({ name: 'web-1', node: 'n1' });
  return {
    ...pod,
    metadata: { ...pod.metadata, ...metadata },
    spec: {
      ...pod.spec,
      containers: [{ name: 'main', image: 'shop/web:2', resources: { limits: { memory: '128Mi' } } }],
      ...spec,
    },
    status: {
      phase: 'Running',
      containerStatuses: [
        { name: 'main', image: '', imageID: '', ready: false, restartCount: restarts, state, lastState: last },
      ],
      ...status,
    },
  };
}

const crashed = podIn(
  { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 5m0s restarting failed container=main pod=web-1' } },
  { restarts: 88, last: { terminated: { exitCode: 137, reason: 'OOMKilled', finishedAt: ago(40) } } },
);

describe("the explanation of a pod's state", () => {
  it('describes in one line the state, the number of restarts, the last exit and the next attempt', () => {
    expect(podHeadline(crashed, now)).toBe(
      'CrashLoopBackOff, 88 restarts; last exit 137 OOMKilled 40s ago; next try in 4m',
    );
    expect(podHeadline(crashed, now + 400_000)).toMatch(/; next try is due$/);
  });

  it.each([
    [1, 10],
    [2, 20],
    [5, 160],
    [6, 300],
    [88, 300],
  ])('expects a wait of 10 s, doubled with each restart, at most 5 min: after %i restarts %i s', (n, seconds) => {
    const [row] = containerRows(
      podIn(
        { waiting: { reason: 'CrashLoopBackOff' } },
        { restarts: n, last: { terminated: { exitCode: 1, finishedAt: ago(0) } } },
      ),
    );
    expect(row && nextTryOf(row)).toBe(now + seconds * 1000);
  });

  it('uses the delay that the kubelet reports', () => {
    const waiting = { reason: 'CrashLoopBackOff', message: 'back-off 1m20s restarting failed container=main' };
    const last = { terminated: { exitCode: 1, finishedAt: ago(0) } };
    const [row] = containerRows(podIn({ waiting }, { restarts: 2, last }));
    expect(row && nextTryOf(row)).toBe(now + 80_000);
  });

  it.each([
    ['the memory limit of a container that was killed for it', crashed, 'more memory than its limit of 128Mi'],
    [
      'which image cannot be pulled, and why',
      podIn({ waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image "shop/web:2": not found' } }),
      'The image shop/web:2 of container main cannot be pulled: Back-off pulling image "shop/web:2": not found.',
    ],
    [
      "the scheduler's reason for a pod that fits on no node",
      podIn(
        { waiting: {} },
        {
          spec: { nodeName: undefined },
          status: {
            phase: 'Pending',
            containerStatuses: [],
            conditions: [
              {
                type: 'PodScheduled',
                status: 'False',
                reason: 'Unschedulable',
                message: '0/3 nodes are available: 3 Insufficient cpu',
              },
            ],
          },
        },
      ),
      'It cannot be scheduled: 0/3 nodes are available: 3 Insufficient cpu.',
    ],
    [
      'a missing configuration',
      podIn({ waiting: { reason: 'CreateContainerConfigError', message: 'secret "db" not found' } }),
      'Container main cannot be configured: secret "db" not found.',
    ],
    [
      'which container runs and is not ready',
      podIn({ running: { startedAt: ago(60) } }),
      'Container main runs, but is not ready: no traffic is sent to this pod.',
    ],
    [
      'the reason for an eviction',
      podIn({}, { status: { phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.' } }),
      'The kubelet evicted it: The node was low on resource: memory.',
    ],
    [
      'which finalizers delay the deletion',
      podIn({}, { metadata: { deletionTimestamp: ago(30), finalizers: ['example.com/guard'] } }),
      'It remains until this finalizer is removed: example.com/guard.',
    ],
  ])('explains %s', (_, pod, words) => {
    expect(podExplanations(pod).join(' ')).toContain(words);
  });

  it('states since when a pod is being deleted, and how far it is beyond its grace period', () => {
    const pod = podIn({}, { metadata: { deletionTimestamp: ago(150), deletionGracePeriodSeconds: 30 } });
    expect(podHeadline(pod, now)).toContain('being deleted for 3m, 2m beyond its grace period of 30s');
  });

  it('contains each sentence once, even if several containers have the same trouble', () => {
    const status = (name: string) => ({
      name,
      image: '',
      imageID: '',
      ready: false,
      restartCount: 3,
      state: { waiting: { reason: 'CrashLoopBackOff' } },
      lastState: { terminated: { exitCode: 1, finishedAt: ago(5) } },
    });
    const containers = ['web', 'proxy'].map((name) => ({ name, image: 'app:1' }));
    const pod = podIn({}, { spec: { containers }, status: { containerStatuses: ['web', 'proxy'].map(status) } });
    expect(podExplanations(pod)).toEqual([
      'Container web exited with code 1.',
      'The kubelet restarts it with growing delays: 10 s at first, 5 min at most.',
      'Container proxy exited with code 1.',
    ]);
  });

  it('is empty for a healthy pod', () => {
    expect(podExplanations(aPod({ name: 'web-1', node: 'n1' }))).toEqual([]);
  });

  it('lists containers in the order in which they start, and marks init containers and sidecars', () => {
    const pod = podIn({}, { spec: { initContainers: [{ name: 'a' }, { name: 'b', restartPolicy: 'Always' }] } });
    expect(containerRows(pod).map(({ name, role }) => [name, role])).toEqual([
      ['a', 'init'],
      ['b', 'sidecar'],
      ['main', 'container'],
    ]);
  });
});
