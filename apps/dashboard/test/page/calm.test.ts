/** @jest-environment ./test/page/support/browser-environment.js */
import { createIndexer, type Pod } from 'rx-informers';
import { metaNamespaceKey } from 'rx-informers/store';
import { aDeployment, aNode, aPod, virtualClock } from 'rx-informers/testing';
import { startWorkerOfAddress } from '../../page/cluster/cluster.js';
import { ClockOffset, serverOffset, timedFetch } from '../../page/cluster/server-clock.js';
import { nodeLoad } from '../../page/drawer/node-load.js';
import { shownSecond } from '../../page/history/shown-time.js';
import { podEntries } from '../../page/pods/pod-entries.js';
import { noPods, type PodTotals, type WorkloadNode } from '../../page/workloads/workload-node.js';
import { workloadOf } from '../../page/workloads/workload.js';
import './support/console-errors.js';

const start = Date.parse('2026-03-01T12:00:00Z');

/** A pod that runs, and became not ready at a time. */
function unready(since: number): Pod {
  const pod = aPod({ name: 'a', namespace: 'shop', node: 'n1', ready: false });
  const time = new Date(since).toISOString();
  const conditions = [{ type: 'Ready', status: 'False', lastTransitionTime: time }];
  return { ...pod, status: { ...pod.status, conditions } };
}

describe('a pod that is not ready', () => {
  it('is no trouble for a minute, as a pending pod, so that a healthy rollout is none', () => {
    const scheduler = virtualClock({ now: start });
    const pods = createIndexer<Pod>(metaNamespaceKey, {}, { scheduler });
    const entries = podEntries(pods, shownSecond);
    const running = entries.connect();
    pods.replace([unready(start)]);
    const trouble = (): readonly string[] | undefined => entries.get('shop/a')?.trouble;
    expect(trouble()).toEqual([]);
    scheduler.advance(59_000);
    expect(trouble()).toEqual([]);
    scheduler.advance(2_000);
    expect(trouble()).toEqual(['unready']);
    running.unsubscribe();
  });
});

describe('a workload', () => {
  const totals = (more: Partial<PodTotals>): PodTotals => ({ ...noPods, pods: 3, ready: 2, ...more });
  const unreadyTotals = totals({ severities: { ok: 2, warning: 1 }, troubles: { 'not ready': 1 } });
  const rowOf = (from: WorkloadNode['from'], object: object, of: PodTotals, settling = 0) => {
    const node = { uid: 'u', key: 'shop/web', owner: undefined, from, object } as unknown as WorkloadNode;
    const set = { metadata: { name: 'web-1', uid: 's' }, spec: { replicas: 3 } };
    const replicaSet = { ...node, uid: 's', from: 'replicaSets', object: set } as unknown as WorkloadNode;
    const replicaSets = from === 'deployments' ? [{ node: replicaSet, totals: of }] : [];
    const { severity, status } = workloadOf({ node, totals: of, replicaSets, settling });
    return `${severity}: ${status}`;
  };
  const deployment = (reason: string): object => ({
    ...aDeployment({ name: 'web', replicas: 3 }),
    status: { conditions: [{ type: 'Progressing', status: 'True', reason }] },
  });
  const statefulSet = (currentRevision: string): object => ({
    metadata: { name: 'db', uid: 'u' },
    spec: { replicas: 3 },
    status: { updateRevision: 'b', currentRevision, updatedReplicas: 3 },
  });

  it('is rolling out until the last new pod is ready, before its pods that are not ready count as a warning', () => {
    expect(rowOf('deployments', deployment('ReplicaSetUpdated'), unreadyTotals)).toBe('progressing: rolling out');
    expect(rowOf('statefulSets', statefulSet('a'), unreadyTotals)).toBe('progressing: rolling out');
  });

  it('has a warning for a pod that is not ready outside of a rollout, but not for its first minute', () => {
    expect(rowOf('deployments', deployment('NewReplicaSetAvailable'), unreadyTotals)).toBe('warning: not ready ×1');
    expect(rowOf('deployments', deployment('NewReplicaSetAvailable'), unreadyTotals, 1)).toBe('progressing: starting');
    expect(rowOf('statefulSets', statefulSet('b'), unreadyTotals)).toBe('warning: not ready ×1');
  });

  it('is failing if a pod of the new revision is', () => {
    const failing = totals({ severities: { ok: 2, failing: 1 }, troubles: { CrashLoopBackOff: 1 } });
    expect(rowOf('deployments', deployment('ReplicaSetUpdated'), failing)).toBe('failing: CrashLoopBackOff ×1');
  });
});

describe('the clock of the API server', () => {
  const at = (seconds: number): string => new Date(start + seconds * 1000).toUTCString();

  it('is that of the browser while they agree within the whole seconds of the header', () => {
    const offset = new ClockOffset();
    offset.observe(at(0), start + 100, start + 900);
    offset.observe(null, 0, 0);
    expect(offset.milliseconds).toBe(0);
  });

  it('is known the better, the more answers there are', () => {
    const offset = new ClockOffset();
    offset.observe(at(3600), start + 500, start + 2000);
    expect(offset.milliseconds).toBe(3_598_000);
    offset.observe(at(3610), start + 10_400, start + 10_400);
    expect(offset.milliseconds).toBe(3_599_600);
  });

  it('is learned again after one of the clocks was set', () => {
    const offset = new ClockOffset();
    offset.observe(at(3600), start, start);
    offset.observe(at(0), start + 200, start + 300);
    expect(offset.milliseconds).toBe(0);
  });

  it('is read from the answers of the API, and not from those of another server on the way', async () => {
    const { fetch } = globalThis;
    // The environment has no `Response`.
    const answer = (status: number) => async () => {
      const date = new Date(Date.now() + 7_200_000).toUTCString();
      return { ok: status === 200, headers: { get: () => date } } as unknown as Response;
    };
    try {
      globalThis.fetch = answer(200);
      await timedFetch('/dashboard/info');
      globalThis.fetch = answer(502);
      await timedFetch('/api/v1/pods?limit=50');
      expect(serverOffset('')).toBe(0);
      globalThis.fetch = answer(200);
      await timedFetch('/contexts/east/api/v1/pods');
      expect([serverOffset('?context=east'), serverOffset('?api=/contexts/east'), serverOffset('')]).toEqual([
        expect.closeTo(7_200_000, -4),
        expect.closeTo(7_200_000, -4),
        0,
      ]);
    } finally {
      globalThis.fetch = fetch;
    }
  });
});

describe('a browser that refuses shared workers', () => {
  it('does not stop the page from starting', () => {
    function Refused(): never {
      throw new DOMException('denied', 'SecurityError');
    }
    Object.assign(globalThis, { SharedWorker: Refused });
    try {
      expect(() => {
        startWorkerOfAddress();
      }).not.toThrow();
    } finally {
      Reflect.deleteProperty(globalThis, 'SharedWorker');
    }
  });
});

describe('the requests of the pods of a node', () => {
  it('include ephemeral storage', () => {
    const node = aNode({ name: 'n1' });
    const allocatable = { cpu: '4', memory: '8Gi', 'ephemeral-storage': '100Gi', pods: '110' };
    const pod = aPod({ name: 'a', node: 'n1' });
    const containers = [{ name: 'main', resources: { requests: { 'ephemeral-storage': '25Gi' } } }];
    const load = nodeLoad({ ...node, status: { ...node.status, allocatable, capacity: allocatable } }, [
      { ...pod, spec: { ...pod.spec, containers } },
    ]);
    expect(load.find(({ name }) => name === 'ephemeral-storage')).toEqual({
      name: 'ephemeral-storage',
      requested: '25Gi',
      allocatable: '100Gi',
      capacity: '100Gi',
      share: 0.25,
    });
  });
});
