import { type Lease, StatusError } from 'rx-informers';
import type { LeaseError } from 'rx-informers/controller';
import {
  initialElection,
  step,
  type State,
  type Step,
  electionRules,
  type ElectionConfig,
} from '../../../src/controller/leader-election/leadership.js';
import type { Input } from '../../../src/controller/lease/lease-protocol.js';
import { connectionError } from '../../../src/sources/model/errors.js';
import { leaseName } from './support/election.js';

const config: ElectionConfig = {
  lease: leaseName,
  identity: 'a',
  leaseDuration: 15_000,
  renewDeadline: 10_000,
  retryPeriod: 2_000,
  ...electionRules('a', 2_000),
};
const request = { method: 'PUT', url: '/x' };
const refused = connectionError(request, new Error('refused'));
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

/** An input: time passes, or the server responds to the current request. */
type TestInput =
  | { readonly type: 'alarm'; readonly at: number; readonly time: number }
  | { readonly type: 'answered'; readonly lease: Lease; readonly at: number; readonly time: number }
  | { readonly type: 'failed'; readonly error: LeaseError; readonly at: number; readonly time: number };

function inputOf(state: State, event: TestInput): Input {
  const { at, time } = event;
  const moment = { at, time, random: 0.5 };
  const operation = state.holder.request?.operation;
  if (event.type === 'answered') {
    return { type: operation === 'read' ? 'read' : 'written', lease: event.lease, ...moment };
  }
  if (event.type === 'alarm') return { type: 'alarm', ...moment };
  const isGone = operation === 'read' && event.error instanceof StatusError && event.error.statusCode === 404;
  return isGone ? { type: 'read', lease: undefined, ...moment } : { type: 'failed', error: event.error, ...moment };
}

/** The result of one input, and its time. */
interface Last extends Step {
  readonly before: State;
  readonly at: number;
}

/** The state after these inputs, and the effect of the last of them. */
function after(...events: readonly TestInput[]): Last {
  let last: Last = { before: initialElection, state: initialElection, effects: [], at: 0 };
  for (const event of events) {
    const before = last.state;
    last = { ...step(config, before, inputOf(before, event)), before, at: event.at };
  }
  return last;
}
const due = (at: number): TestInput => ({ type: 'alarm', at, time: at });
const answered = (lease: Lease, at: number): TestInput => ({ type: 'answered', lease, at, time: at });
const failed = (error: LeaseError, at: number): TestInput => ({ type: 'failed', error, at, time: at });

/** The request and the next wait in words: `update by a (4)`. */
function words({ effects, before, state, at }: Last): readonly string[] {
  const { holder } = state;
  const isWaiting = before.holder.attempt !== undefined && holder.attempt === undefined;
  const { renewed } = holder;
  const isRenewed = renewed !== undefined && renewed !== before.holder.renewed;
  return [
    ...effects.flatMap((effect) => {
      if (effect.type === 'tell') return [];
      if (effect.type !== 'create' && effect.type !== 'update') return [effect.type];
      return [`${effect.type} by ${effect.lease.spec?.holderIdentity} (${effect.lease.spec?.leaseTransitions})`];
    }),
    ...(isRenewed ? [`deadline ${renewed.at + config.renewDeadline - at}`] : []),
    ...(isWaiting ? [`attempt after ${holder.nextAttemptAt - at}`] : []),
  ];
}
const won: readonly TestInput[] = [due(0), answered(aLease(''), 0), answered(aLease('a'), 100)];
/** The write was sent at 0. */
const lead = ['deadline 9900', 'attempt after 2000'];

describe('one attempt of a candidate (client-go: TestTryAcquireOrRenewLeases)', () => {
  /** One retry period and, by a random number of 0.5, half of 1.2 more. */
  const wait = 'attempt after 3200';

  it('L2: begins with a read', () => {
    expect(words(after(due(0)))).toEqual(['read']);
  });

  it.each<[string, readonly TestInput[], readonly string[]]>([
    ['creates a missing lease', [failed(status(404), 0)], ['create by a (0)']],
    ['acquires a lease with an empty holder', [answered(aLease(''), 0)], ['update by a (4)']],
    ['acquires a lease without a holder field', [answered(aLease(undefined), 0)], ['update by a (4)']],
    ['acquires a lease without a spec', [answered(withoutSpec(), 0)], ['update by a (1)']],
    ['renews its own lease, without a transition', [answered(aLease('a'), 0)], ['update by a (3)']],
    ['leaves a lease of another holder alone', [answered(aLease('b'), 0)], [wait]],
    ['tries again if it cannot read the lease', [failed(refused, 0)], [wait]],
    [
      'tries again if another candidate created the lease first',
      [failed(status(404), 0), failed(status(409), 0)],
      [wait],
    ],
    [
      'tries again if another candidate acquired the lease first',
      [answered(aLease(''), 0), failed(status(409), 0)],
      [wait],
    ],
    ['leads when its write succeeded', [answered(aLease(''), 0), answered(aLease('a'), 100)], lead],
  ])('a candidate or leader, in one attempt, %s', (_name, inputs, expected) => {
    expect(words(after(due(0), ...inputs))).toEqual(expected);
  });

  it.each<[string, readonly TestInput[], readonly string[]]>([
    ['does not acquire a lease that is valid', [due(14_999), answered(aLease('b'), 15_000)], [wait]],
    ['acquires a lease that has expired', [due(15_000), answered(aLease('b'), 15_000)], ['update by a (4)']],
    [
      'waits again after a late renewal that succeeded',
      [due(15_000), answered(aLease('b', { renewTime: '2026-01-01T00:00:00Z' }), 15_000)],
      [wait],
    ],
    ['starts to wait again with another holder', [due(15_000), answered(aLease('c'), 15_000)], [wait]],
    [
      'acquires the lease of another holder when that lease has expired too',
      [due(15_000), answered(aLease('c'), 15_000), due(30_000), answered(aLease('c'), 30_000)],
      ['update by a (4)'],
    ],
    [
      '▲ does not create a lease that was deleted while it was valid',
      [due(14_999), failed(status(404), 14_999)],
      [wait],
    ],
    [
      'creates a lease that was deleted after it had expired',
      [due(15_000), failed(status(404), 15_000)],
      ['create by a (0)'],
    ],
  ])('L3: after observing the lease of another holder, %s', (_name, inputs, expected) => {
    expect(words(after(due(0), answered(aLease('b'), 0), ...inputs))).toEqual(expected);
  });

  it('L3: leaves the lease of another holder alone for the duration that the holder wrote', () => {
    const long = aLease('b', { leaseDurationSeconds: 40 });
    const seen = [due(0), answered(long, 0)];
    expect(words(after(...seen, due(39_999), answered(long, 39_999)))).toEqual([wait]);
    expect(words(after(...seen, due(40_000), answered(long, 40_000)))).toEqual(['update by a (4)']);
  });

  it.each([
    ['does not report a lost race as an error', status(409), undefined],
    ['reports any other failure as an error', status(403), status(403)],
  ])('a candidate or leader, in one attempt, %s', (_name, error, expected) => {
    const { state } = after(due(0), answered(aLease(''), 0), failed(error, 0));
    expect(state).toMatchObject({ leading: undefined, holder: { error: expected } });
  });
});

describe('one attempt of the leader (client-go: TestFastPathLeaderElection)', () => {
  it.each<[string, readonly TestInput[], readonly string[]]>([
    ['L4: renews the lease that it remembers', [], ['update by a (3)']],
    [
      'continues to lead when the renewal succeeded',
      [answered(aLease('a'), 2_200)],
      ['deadline 9900', 'attempt after 2000'],
    ],
    ['L4: reads the lease when the renewal failed', [failed(refused, 2_100)], ['slow-path', 'read']],
    ['renews the lease that it read', [failed(status(409), 2_100), answered(aLease('a'), 2_200)], ['update by a (3)']],
    ['creates a deleted lease again', [failed(status(404), 2_100), failed(status(404), 2_200)], ['create by a (0)']],
    [
      'L2: tries again a retry period after the attempt began',
      [failed(refused, 2_100), failed(refused, 2_300)],
      ['attempt after 1800'],
    ],
    [
      'tries again at once if the attempt took longer than a retry period',
      [failed(refused, 2_100), failed(refused, 7_000)],
      ['update by a (3)'],
    ],
    [
      'stops if another replica holds the lease',
      [failed(status(409), 2_100), answered(aLease('b'), 2_200)],
      ['attempt after 3200'],
    ],
    [
      'stops if the lease has no holder',
      [failed(status(409), 2_100), answered(aLease(''), 2_200)],
      ['attempt after 3200'],
    ],
  ])('a candidate or leader, in one attempt, %s', (_name, inputs, expected) => {
    expect(words(after(...won, due(2_100), ...inputs))).toEqual(expected);
  });

  it.each<[string, readonly TestInput[]]>([
    ['when its timer fires, regardless of the time of day', [{ ...due(10_000), time: -3_600_000 }]],
    ['when its clock has passed it at the next attempt', [due(10_000)]],
    ['when its clock has passed it as a request fails', [due(9_000), failed(refused, 10_000)]],
    [
      'when its clock has passed it as it reads that it holds the lease',
      [due(9_000), failed(refused, 9_500), answered(aLease('a'), 10_000)],
    ],
  ])('L2: stops at the deadline %s', (_name, inputs) => {
    const last = after(...won, ...inputs);
    expect(last.state).toMatchObject({
      leading: undefined,
      lost: { cause: { code: 'RXI_RENEW_DEADLINE' }, ledSince: 100 },
      holder: { request: undefined, nextAttemptAt: last.at + 3_200 },
    });
    expect(words(last)).toContain('abort');
  });

  it('keeps leading if a renewal sent in time is answered after the deadline: there was no other leader', () => {
    expect(words(after(...won, due(9_000), answered(aLease('a'), 11_000)))).toEqual([
      'deadline 8000',
      'attempt after 2000',
    ]);
  });

  it('does not trust a response that took as long as the deadline', () => {
    const late = after(...won, due(2_100), answered(aLease('a'), 12_100));
    expect(late.state).toMatchObject({ leading: undefined, lost: { ledSince: 100 } });
    // It competes again at once.
    expect(words(late)).toEqual(['read']);
    expect(words(after(due(0), answered(aLease(''), 0), answered(aLease('a'), 10_000)))).toEqual(['read']);
  });

  it('does not extend the lease if the clock was set back during a renewal', () => {
    const setBack = { ...answered(aLease('a'), 2_300), time: -50_000 };
    expect(words(after(...won, due(2_100), setBack))[0]).toBe('deadline 9800');
  });

  it('L3: time that passed while the machine slept counts against the deadline, even if no timer has fired', () => {
    const awake = { ...due(2_100), time: 3_600_000 };
    expect(after(...won, awake).state).toMatchObject({ leading: undefined, lost: { ledSince: 100 } });
    const asleep = { ...answered(aLease('a'), 2_300), time: 3_600_000 };
    expect(after(...won, due(2_100), asleep).state.leading).toBeUndefined();
  });

  it('L3: a clock that is set forward does not make a candidate acquire the lease of another holder sooner', () => {
    const seen = after(due(0), answered(aLease('b'), 1));
    expect(words(seen)).toEqual(['attempt after 3200']);
    const later = { ...answered(aLease('b'), 3_202), time: 3_600_000 };
    expect(words(after(due(0), answered(aLease('b'), 1), due(3_201), later))).toEqual(['attempt after 3200']);
  });
});

describe('late inputs of an attempt', () => {
  const states: readonly [string, State][] = [
    ['a waiting candidate', after(due(0), answered(aLease('b'), 0)).state],
    ['a waiting leader', after(...won).state],
  ];
  it.each(states)('a late response does not change %s', (_name, state) => {
    for (const input of [answered(aLease('b'), 500), failed(refused, 500)]) {
      expect(step(config, state, inputOf(state, input))).toEqual({ state, effects: [] });
    }
  });

  it('an alarm before the next attempt does not change the state', () => {
    for (const [, state] of states) expect(step(config, state, inputOf(state, due(1)))).toEqual({ state, effects: [] });
  });
});
