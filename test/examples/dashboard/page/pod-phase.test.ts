import type { Pod } from 'rx-informers';
import { aPod } from 'rx-informers/testing';
import {
  podPhase,
  podStatusText,
  readinessOf,
  restartsOf,
} from '../../../../examples/dashboard/page/model/pod-phase.js';

const withStatus = (status: Pod['status']): Pod => ({ ...aPod({ name: 'a' }), status }) as Pod;
const waiting = (reason: string): Pod =>
  withStatus({
    phase: 'Running',
    containerStatuses: [
      { name: 'c', image: 'i', imageID: '', ready: false, restartCount: 7, state: { waiting: { reason } } },
    ],
  });

describe('the phase of a pod', () => {
  it.each([
    ['Running', 'running'],
    ['Pending', 'pending'],
    ['Succeeded', 'succeeded'],
    ['Failed', 'failed'],
    ['<b>Running</b>', 'unknown'],
    ['constructor', 'unknown'],
    ['', 'unknown'],
  ])('%j is %s', (phase, expected) => {
    expect(podPhase(withStatus({ phase }))).toBe(expected);
  });

  it('is unknown for a pod that has no status', () => {
    const pod = withStatus(undefined);
    expect([podPhase(pod), podStatusText(pod), restartsOf(pod)]).toEqual(['unknown', 'Unknown', 0]);
  });

  it('is failing where a container cannot run, and the table says why', () => {
    const pod = waiting('CrashLoopBackOff');
    expect([podPhase(pod), podStatusText(pod), restartsOf(pod), readinessOf(pod).ready]).toEqual([
      'failing',
      'CrashLoopBackOff',
      7,
      0,
    ]);
  });

  it('is not failing while containers are being created', () => {
    expect([podPhase(waiting('ContainerCreating')), podPhase(waiting('PodInitializing'))]).toEqual([
      'running',
      'running',
    ]);
  });

  it('is terminating from the request to delete on, whatever the status says', () => {
    const pod = waiting('CrashLoopBackOff');
    const leaving = { ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2026-03-01T12:00:00Z' } };
    expect([podPhase(leaving), podStatusText(leaving)]).toEqual(['terminating', 'Terminating']);
  });

  it('says the reason of an evicted pod', () => {
    expect(podStatusText(withStatus({ phase: 'Failed', reason: 'Evicted' }))).toBe('Evicted');
  });
});
