import type { Pod } from 'rx-informers';
import { aPod } from 'rx-informers/testing';
import { podIn, podStates } from '../../../../test/fixtures/pod-states.js';
import {
  podPhase,
  podStatusText,
  readinessOf,
  restartsOf,
  statusOf,
  type PodPhase,
} from '../../page/pods/pod-phase.js';

const now = Date.parse('2026-03-01T12:00:00Z');
const inState = (name: string): Pod =>
  podIn(
    podStates(now).find((state) => state.name === name)!,
    now,
  );

describe('the colour of a pod', () => {
  it.each<[string, PodPhase]>([
    ['running', 'running'],
    ['running-restarted', 'running'],
    ['running-not-ready', 'unready'],
    ['one-of-two-completed', 'unready'],
    ['pending', 'pending'],
    ['unschedulable', 'pending'],
    ['container-creating', 'pending'],
    ['init-second-of-two', 'pending'],
    ['oom-killed', 'failing'],
    ['oom-killed-beside-another', 'failing'],
    ['ended-by-signal', 'failing'],
    ['init-error', 'failing'],
    ['init-crash-loop', 'failing'],
    ['imagepullbackoff', 'failing'],
    ['sidecar-crash-loop', 'failing'],
    ['node-lost', 'failing'],
    ['unknown', 'failing'],
    ['evicted', 'failed'],
    ['job-failed', 'failed'],
    ['terminating', 'terminating'],
    ['terminating-in-crash-loop', 'terminating'],
    ['terminating-beyond-grace', 'failing'],
    ['completed', 'succeeded'],
  ])('is, for a pod in the state %s, the colour of the phase %s', (state, expected) => {
    expect(podPhase(inState(state), now)).toBe(expected);
  });

  it.each(['<b>Running</b>', 'constructor', ''])(
    'is the colour of a pending pod if the phase is unknown: %j',
    (phase) => {
      const pod = { ...aPod({ name: 'a' }), status: { phase } } as Pod;
      expect(podPhase(pod)).toBe('pending');
    },
  );
});

describe('the columns of the pods table', () => {
  it('show what kubectl prints', () => {
    const pod = inState('init-crash-loop');
    expect([podStatusText(pod), restartsOf(pod), readinessOf(pod)]).toEqual([
      'Init:CrashLoopBackOff',
      14,
      { ready: 0, all: 1 },
    ]);
  });

  it('are computed once for each version of a pod, and again if they depend on the current time', () => {
    const [calm, restarted] = [inState('running'), inState('running-restarted')];
    expect([statusOf(calm) === statusOf(calm, now), statusOf(restarted) === statusOf(restarted)]).toEqual([true, true]);
    expect(statusOf(restarted, now).restartsText).toBe('14 (47m ago)');
    expect(statusOf(restarted, now + 3_600_000).restartsText).toBe('14 (107m ago)');
  });

  it('show a pod without a status as pending', () => {
    const { status: _, ...pod } = aPod({ name: 'a' });
    expect([podPhase(pod as Pod), podStatusText(pod as Pod), restartsOf(pod as Pod)]).toEqual([
      'pending',
      'Pending',
      0,
    ]);
  });
});
