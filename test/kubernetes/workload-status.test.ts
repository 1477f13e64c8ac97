import { workloadStatus, type Severity, type Workload } from 'rx-informers/resources';

/** Returns a workload whose last change is observed, unless `status` says otherwise. */
function workload(kind: string, spec: object, status: object = {}, metadata: object = {}): Workload {
  const observed = kind === 'Job' ? {} : { observedGeneration: 2 };
  const meta = { name: 'web', namespace: 'shop', generation: kind === 'Job' ? 1 : 2, ...metadata };
  return { kind, metadata: meta, spec, status: { ...observed, ...status } } as unknown as Workload;
}

const condition = (type: string, reason?: string) => ({ conditions: [{ type, status: 'True', reason }] });
const rolling = (rollingUpdate?: object) => ({ replicas: 5, updateStrategy: { type: 'RollingUpdate', rollingUpdate } });
const revisions = { currentRevision: 'web-1', updateRevision: 'web-2' };

describe('workloadStatus', () => {
  it.each<[string, Workload, Severity, boolean, string]>([
    [
      'a Deployment whose change the controller has not seen',
      workload('Deployment', { replicas: 3 }, { observedGeneration: 1, updatedReplicas: 3, availableReplicas: 3 }),
      'progressing',
      false,
      'Waiting for deployment spec update to be observed...',
    ],
    [
      'a Deployment beyond its progress deadline',
      workload('Deployment', { replicas: 3 }, condition('Progressing', 'ProgressDeadlineExceeded')),
      'failing',
      false,
      'deployment "web" exceeded its progress deadline',
    ],
    [
      'a Deployment with too few new pods',
      workload('Deployment', { replicas: 3 }, { replicas: 3, updatedReplicas: 1, availableReplicas: 3 }),
      'progressing',
      false,
      'Waiting for deployment "web" rollout to finish: 1 out of 3 new replicas have been updated...',
    ],
    [
      'a Deployment whose pods exceed a quota',
      workload('Deployment', { replicas: 3 }, condition('ReplicaFailure', 'FailedCreate')),
      'warning',
      false,
      'Waiting for deployment "web" rollout to finish: 0 out of 3 new replicas have been updated...',
    ],
    [
      'a Deployment with old pods',
      workload('Deployment', { replicas: 3 }, { replicas: 4, updatedReplicas: 3, availableReplicas: 3 }),
      'progressing',
      false,
      'Waiting for deployment "web" rollout to finish: 1 old replicas are pending termination...',
    ],
    [
      'a Deployment whose new pods are not available',
      workload('Deployment', { replicas: 3 }, { replicas: 3, updatedReplicas: 3, availableReplicas: 2 }),
      'progressing',
      false,
      'Waiting for deployment "web" rollout to finish: 2 of 3 updated replicas are available...',
    ],
    [
      'a complete Deployment',
      workload('Deployment', { replicas: 3 }, { replicas: 3, updatedReplicas: 3, availableReplicas: 3 }),
      'ok',
      true,
      'deployment "web" successfully rolled out',
    ],
    [
      'a Deployment of no pods',
      workload('Deployment', { replicas: 0 }),
      'ok',
      true,
      'deployment "web" successfully rolled out',
    ],
    [
      'a DaemonSet whose change the controller has not seen',
      workload('DaemonSet', {}, { observedGeneration: 1 }),
      'progressing',
      false,
      'Waiting for daemon set spec update to be observed...',
    ],
    [
      'a DaemonSet with too few new pods',
      workload('DaemonSet', {}, { updatedNumberScheduled: 1, desiredNumberScheduled: 4, numberAvailable: 4 }),
      'progressing',
      false,
      'Waiting for daemon set "web" rollout to finish: 1 out of 4 new pods have been updated...',
    ],
    [
      'a DaemonSet whose new pods are not available',
      workload('DaemonSet', {}, { updatedNumberScheduled: 4, desiredNumberScheduled: 4, numberAvailable: 2 }),
      'progressing',
      false,
      'Waiting for daemon set "web" rollout to finish: 2 of 4 updated pods are available...',
    ],
    [
      'a complete DaemonSet',
      workload('DaemonSet', {}, { updatedNumberScheduled: 4, desiredNumberScheduled: 4, numberAvailable: 4 }),
      'ok',
      true,
      'daemon set "web" successfully rolled out',
    ],
    [
      'a DaemonSet that is updated by hand',
      workload('DaemonSet', { updateStrategy: { type: 'OnDelete' } }),
      'ok',
      true,
      'rollout status is only available for RollingUpdate strategy type',
    ],
    [
      'a StatefulSet that the controller has not seen',
      workload('StatefulSet', rolling(), { observedGeneration: 0 }, { generation: 0 }),
      'progressing',
      false,
      'Waiting for statefulset spec update to be observed...',
    ],
    [
      'a StatefulSet with pods that are not ready',
      workload('StatefulSet', rolling(), { readyReplicas: 3 }),
      'progressing',
      false,
      'Waiting for 2 pods to be ready...',
    ],
    [
      'a StatefulSet with a partition that is not updated',
      workload('StatefulSet', rolling({ partition: 2 }), { readyReplicas: 5, updatedReplicas: 1 }),
      'progressing',
      false,
      'Waiting for partitioned roll out to finish: 1 out of 3 new pods have been updated...',
    ],
    [
      'a StatefulSet with an updated partition',
      workload('StatefulSet', rolling({ partition: 2 }), { readyReplicas: 5, updatedReplicas: 3 }),
      'ok',
      true,
      'partitioned roll out complete: 3 new pods have been updated...',
    ],
    [
      'a StatefulSet with pods of an old revision',
      workload('StatefulSet', rolling(), { readyReplicas: 5, updatedReplicas: 2, ...revisions }),
      'progressing',
      false,
      'waiting for statefulset rolling update to complete 2 pods at revision web-2...',
    ],
    [
      'a complete StatefulSet',
      workload('StatefulSet', rolling(), {
        readyReplicas: 5,
        currentReplicas: 5,
        ...revisions,
        currentRevision: 'web-2',
      }),
      'ok',
      true,
      'statefulset rolling update complete 5 pods at revision web-2...',
    ],
    [
      'a StatefulSet that is updated by hand',
      workload('StatefulSet', { updateStrategy: { type: 'OnDelete' } }),
      'ok',
      true,
      'rollout status is only available for RollingUpdate strategy type',
    ],
    [
      'a ReplicaSet on its way',
      workload('ReplicaSet', { replicas: 3 }, { replicas: 2 }),
      'progressing',
      false,
      '2 current / 3 desired',
    ],
    [
      'a ReplicaSet with its pods',
      workload('ReplicaSet', { replicas: 3 }, { replicas: 3, availableReplicas: 3 }),
      'ok',
      true,
      '3 current / 3 desired',
    ],
    [
      'a Job that runs',
      workload('Job', { completions: 5, parallelism: 2 }, { succeeded: 2 }),
      'progressing',
      false,
      'Running 2/5',
    ],
    ['a Job of one pod', workload('Job', { parallelism: 1 }), 'progressing', false, 'Running 0/1'],
    ['a Job with a work queue', workload('Job', { parallelism: 3 }), 'progressing', false, 'Running 0/1 of 3'],
    [
      'a Job with a finished work queue',
      workload('Job', { parallelism: 3 }, { succeeded: 3, ...condition('Complete') }),
      'done',
      true,
      'Complete 3/1 of 3',
    ],
    [
      'a suspended Job',
      workload('Job', { completions: 1 }, condition('Suspended')),
      'progressing',
      false,
      'Suspended 0/1',
    ],
    [
      'a Job about to fail',
      workload('Job', { completions: 1 }, condition('FailureTarget')),
      'failing',
      false,
      'FailureTarget 0/1',
    ],
    ['a failed Job', workload('Job', { completions: 1 }, condition('Failed')), 'failed', true, 'Failed 0/1'],
    [
      'a Job that is being deleted',
      workload('Job', { completions: 1 }, {}, { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      'progressing',
      false,
      'Terminating 0/1',
    ],
  ])('says what kubectl says about %s', (_, object, severity, isDone, message) => {
    expect(workloadStatus(object)).toEqual({ isDone, severity, message });
  });

  it('refuses an object of another kind by name', () => {
    expect(() => workloadStatus(workload('CronJob', {}))).toThrow(
      expect.objectContaining({ code: 'RXI_INVALID_OPTION', value: 'CronJob' }),
    );
  });
});
