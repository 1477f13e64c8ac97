import type { Change, Pod } from 'rx-informers';
import { aPod } from 'rx-informers/testing';
import { PhaseTally } from '../../../../examples/dashboard/page/cluster/phase-tally.js';
import { countsText } from '../../../../examples/dashboard/page/model/phase-counts.js';

const pod = (name: string, phase: string): Pod => ({ ...aPod({ name }), status: { phase } });
const added = (name: string, phase: string): Change<Pod> => ({ type: 'added', key: name, object: pod(name, phase) });
const updated = (name: string, phase: string): Change<Pod> => ({
  type: 'updated',
  key: name,
  object: pod(name, phase),
  previous: pod(name, 'Pending'),
});
const deleted = (name: string): Change<Pod> => ({
  type: 'deleted',
  key: name,
  object: pod(name, 'Running'),
  finalStateUnknown: false,
});

describe('the count of pods by phase', () => {
  it('follows what comes, changes and goes', () => {
    const tally = new PhaseTally();
    tally.apply({ reason: 'initial', changes: [added('a', 'Pending'), added('b', 'Running'), added('c', 'Running')] });
    tally.apply({ reason: 'watch', changes: [updated('a', 'Running'), deleted('b'), updated('c', 'Failed')] });
    expect(countsText(tally.counts)).toBe('2 pods: 1 running, 1 failed');
  });

  it('stays the same object while nothing else is counted', () => {
    const tally = new PhaseTally();
    tally.apply({ reason: 'initial', changes: [added('a', 'Running')] });
    const before = tally.counts;
    tally.apply({ reason: 'watch', changes: [updated('a', 'Running')] });
    expect(tally.counts).toBe(before);
  });

  it('starts over with a state, and so counts nothing twice', () => {
    const tally = new PhaseTally();
    const state = { reason: 'initial' as const, changes: [added('a', 'Running')] };
    tally.apply(state);
    tally.apply(state);
    expect([countsText(tally.counts), countsText({})]).toEqual(['1 pod: 1 running', 'no pods']);
  });
});
