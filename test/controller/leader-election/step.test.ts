import type { ElectionConfig } from '../../../src/controller/leader-election/election-config.js';
import {
  initialState,
  type ElectionInput,
  type ElectionState,
  type ElectionStep,
} from '../../../src/controller/leader-election/election-state.js';
import { step } from '../../../src/controller/leader-election/step.js';
import type { LeaseError } from 'rx-informers/controller';
import { type Lease, ConnectionError, StatusError } from 'rx-informers';
import { leaseName } from './support/election.js';

const config: ElectionConfig = {
  lease: leaseName,
  identity: 'a',
  leaseDuration: 15_000,
  renewDeadline: 10_000,
  retryPeriod: 2_000,
};
const request = { method: 'PUT', url: '/x' };
const refused = new ConnectionError(request, new Error('refused'));
const status = (code: number): StatusError => new StatusError(request, { code });

function aLease(holder: string | undefined, spec: object = {}): Lease {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { ...leaseName, uid: 'u', resourceVersion: '7' },
    spec: {
      leaseDurationSeconds: 15,
      leaseTransitions: 3,
      ...(holder === undefined ? {} : { holderIdentity: holder }),
      ...spec,
    },
  };
}

function withoutSpec(): Lease {
  const { spec: _, ...lease } = aLease('x');
  return lease;
}

/** The state after these inputs, and what the last of them asks for. */
function after(...inputs: readonly ElectionInput[]): ElectionStep {
  let last: ElectionStep = { state: initialState, effects: [] };
  for (const input of inputs) last = step(config, last.state, input);
  return last;
}
const due = (at: number): ElectionInput => ({ type: 'due', at, time: at });
const answered = (lease: Lease, at: number): ElectionInput => ({ type: 'answered', lease, at, time: at });
const failed = (error: LeaseError, at: number): ElectionInput => ({ type: 'failed', error, at, time: at });
const expired = (at: number): ElectionInput => ({ type: 'expired', at, time: at });
const deadline = (at: number): ElectionInput => ({ type: 'deadline', at, time: at });

/** What was asked for, in words: `update by a (4)`. */
function words({ effects }: ElectionStep): readonly string[] {
  return effects.map((effect) => {
    switch (effect.type) {
      case 'create':
      case 'update':
        return `${effect.type} by ${effect.lease.spec?.holderIdentity} (${effect.lease.spec?.leaseTransitions})`;
      case 'attempt-after':
        return `attempt after ${effect.wait}${effect.jitter === 0 ? '' : ` × ${effect.jitter}`}`;
      case 'set-alarm':
        return `${effect.alarm} ${effect.wait ?? 'off'}`;
      default:
        return effect.type;
    }
  });
}
const won: readonly ElectionInput[] = [due(0), answered(aLease(''), 0), answered(aLease('a'), 100)];
const lead = [
  'expired off',
  // The write was sent at 0.
  'deadline 9900',
  'attempt after 2000',
];

describe('one attempt of a candidate (client-go: TestTryAcquireOrRenewLeases)', () => {
  const wait = 'attempt after 2000 × 1.2';

  it('L2: looks first', () => {
    expect(words(after(due(0)))).toEqual(['get']);
  });

  it.each<[string, readonly ElectionInput[], readonly string[]]>([
    ['creates a lease that is not there', [failed(status(404), 0)], ['create by a (0)']],
    ['acquires one that nobody holds', [answered(aLease(''), 0)], ['expired 15000', 'update by a (4)']],
    ['acquires one without a holder', [answered(aLease(undefined), 0)], ['expired 15000', 'update by a (4)']],
    ['acquires one without a spec', [answered(withoutSpec(), 0)], ['expired 15000', 'update by a (1)']],
    ['renews its own, without a transition', [answered(aLease('a'), 0)], ['expired 15000', 'update by a (3)']],
    [
      'leaves that of another holder alone, and watches it run out',
      [answered(aLease('b'), 0)],
      ['expired 15000', wait],
    ],
    [
      'L3: for as long as that holder wrote',
      [answered(aLease('b', { leaseDurationSeconds: 40 }), 0)],
      ['expired 40000', wait],
    ],
    ['tries again where it cannot look', [failed(refused, 0)], [wait]],
    ['tries again where another candidate created it first', [failed(status(404), 0), failed(status(409), 0)], [wait]],
    [
      'tries again where another candidate acquired it first',
      [answered(aLease(''), 0), failed(status(409), 0)],
      [wait],
    ],
    ['leads when its write was answered', [answered(aLease(''), 0), answered(aLease('a'), 100)], lead],
  ])('%s', (_name, inputs, expected) => {
    expect(words(after(due(0), ...inputs))).toEqual(expected);
  });

  it.each<[string, readonly ElectionInput[], readonly string[]]>([
    ['does not take a lease that runs', [due(60_000), answered(aLease('b'), 60_000)], [wait]],
    ['takes one that has run out', [expired(1), due(2), answered(aLease('b'), 2)], ['update by a (4)']],
    [
      'begins to wait anew when it was renewed after all',
      [expired(1), due(2), answered(aLease('b', { renewTime: '2026-01-01T00:00:00Z' }), 2)],
      ['expired 15000', wait],
    ],
    [
      'begins to wait anew with another holder',
      [expired(1), due(2), answered(aLease('c'), 2)],
      ['expired 15000', wait],
    ],
    ['▲ does not create one that vanished while it ran', [due(2), failed(status(404), 2)], [wait]],
    [
      'creates one that vanished after it had run out',
      [expired(1), due(2), failed(status(404), 2)],
      ['create by a (0)'],
    ],
  ])('L3: having seen the lease of another holder, %s', (_name, inputs, expected) => {
    expect(words(after(due(0), answered(aLease('b'), 0), ...inputs))).toEqual(expected);
  });

  it.each([
    ['a lost race is no error', status(409), undefined],
    ['anything else is', status(403), status(403)],
  ])('%s', (_name, error, expected) => {
    const { state } = after(due(0), answered(aLease(''), 0), failed(error, 0));
    expect(state.role).toMatchObject({ type: 'standby', error: expected });
  });
});

describe('one attempt of the leader (client-go: TestFastPathLeaderElection)', () => {
  it.each<[string, readonly ElectionInput[], readonly string[]]>([
    ['L4: renews what it remembers', [], ['update by a (3)']],
    [
      'leads on when that was answered',
      [answered(aLease('a'), 2_200)],
      ['expired off', 'deadline 9900', 'attempt after 2000'],
    ],
    ['L4: looks when that failed', [failed(refused, 2_100)], ['slow-path', 'get']],
    ['renews what it found', [failed(status(409), 2_100), answered(aLease('a'), 2_200)], ['update by a (3)']],
    ['creates again what was deleted', [failed(status(404), 2_100), failed(status(404), 2_200)], ['create by a (0)']],
    [
      'L2: tries again a retry period after the attempt began',
      [failed(refused, 2_100), failed(refused, 2_300)],
      ['attempt after 1800'],
    ],
    ['at once where it took longer', [failed(refused, 2_100), failed(refused, 7_000)], ['attempt after 0']],
    [
      'stops where another one holds it',
      [failed(status(409), 2_100), answered(aLease('b'), 2_200)],
      ['abort', 'deadline off', 'expired 15000', 'attempt after 2000 × 1.2'],
    ],
    [
      'stops where nobody holds it',
      [failed(status(409), 2_100), answered(aLease(''), 2_200)],
      ['abort', 'deadline off', 'expired 15000', 'attempt after 2000 × 1.2'],
    ],
  ])('%s', (_name, inputs, expected) => {
    expect(words(after(...won, due(2_100), ...inputs))).toEqual(expected);
  });

  it.each<[string, readonly ElectionInput[]]>([
    ['when its timer says so, whatever the clock says', [deadline(-3_600_000)]],
    ['when its clock says so at the next attempt', [due(10_000)]],
    ['when its clock says so as a request fails', [due(9_000), failed(refused, 10_000)]],
    [
      'when its clock says so as it finds that it holds the lease',
      [due(9_000), failed(refused, 9_500), answered(aLease('a'), 10_000)],
    ],
  ])('L2: stops at the deadline %s', (_name, inputs) => {
    const last = after(...won, ...inputs);
    expect(last.state.role).toMatchObject({
      type: 'standby',
      lost: { cause: { name: 'RenewDeadlineError' }, ledSince: 100 },
    });
    expect(words(last)).toEqual(['abort', 'deadline off', 'expired 15000', 'attempt after 2000 × 1.2']);
  });

  it('leads on where the renewal that was sent in time is answered after the deadline: nobody else led', () => {
    expect(words(after(...won, due(9_000), answered(aLease('a'), 11_000)))).toEqual([
      'expired off',
      'deadline 8000',
      'attempt after 2000',
    ]);
  });

  it('does not trust an answer that took as long as the deadline', () => {
    const late = after(...won, due(2_000), answered(aLease('a'), 12_000));
    expect(late.state.role).toMatchObject({ type: 'standby', lost: { ledSince: 100 } });
    expect(words(late).at(-1)).toBe('attempt after 0');
    expect(words(after(due(0), answered(aLease(''), 0), answered(aLease('a'), 10_000)))).toEqual(['attempt after 0']);
  });

  it('a clock that was set back while a renewal was under way gives no more time', () => {
    const setBack = { ...answered(aLease('a'), 2_300), time: -50_000 };
    expect(words(after(...won, due(2_000), setBack))[1]).toBe('deadline 9700');
  });

  it('L3: time that passed while the machine slept counts against the deadline, whatever the timers say', () => {
    const awake = { ...due(2_000), time: 3_600_000 };
    expect(after(...won, awake).state.role).toMatchObject({ type: 'standby', lost: { ledSince: 100 } });
    const asleep = { ...answered(aLease('a'), 2_300), time: 3_600_000 };
    expect(after(...won, due(2_000), asleep).state.role).toMatchObject({ type: 'standby' });
  });

  it('L3: a clock that is set forward does not make a candidate take the lease of another sooner', () => {
    const seen = after(due(0), answered(aLease('b'), 1));
    expect(words(seen)).toContain('expired 15000');
    const later = { ...answered(aLease('b'), 2_001), time: 3_600_000 };
    expect(words(after(due(0), answered(aLease('b'), 1), due(2_000), later))).toEqual(['attempt after 2000 × 1.2']);
  });
});

describe('what comes late', () => {
  const states: readonly [string, ElectionState][] = [
    ['a candidate that waits', after(due(0), answered(aLease('b'), 0)).state],
    ['a leader that waits', after(...won).state],
  ];
  it.each(states)('is nothing to %s', (_name, state) => {
    for (const input of [answered(aLease('b'), 500), failed(refused, 500)]) {
      expect(step(config, state, input)).toEqual({ state, effects: [] });
    }
  });

  it('an alarm of a lease that nobody saw is nothing', () => {
    expect(after(expired(5))).toEqual({ state: initialState, effects: [] });
    expect(after(deadline(5))).toEqual({ state: initialState, effects: [] });
  });
});
