import fc from 'fast-check';
import { type Lease, StatusError } from 'rx-informers';
import { writtenLease } from '../../../src/controller/lease/lease-record.js';
import { claimToWrite, readMemberLease } from '../../../src/controller/membership/claim.js';
import { membershipRules } from '../../../src/controller/membership/membership-options.js';
import {
  initialMembership,
  type MembershipConfig,
  type Effect,
  type Input,
  type State,
} from '../../../src/controller/membership/protocol.js';
import {
  shareOf,
  allSlots,
  countSlots,
  noSlots,
  slotCount,
  slotOf,
  slotsOf,
  tableOf,
  type Slots,
} from '../../../src/controller/membership/slots.js';
import { membershipAlarm, step } from '../../../src/controller/membership/step.js';

const names = fc.uniqueArray(fc.stringMatching(/^[a-z0-9-]{1,20}$/), { minLength: 1, maxLength: 12 });

const replicas = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `labeller-web-${index}`);

describe('the share of each member', () => {
  it('assigns each slot to exactly one member, the same one on every replica', () => {
    fc.assert(
      fc.property(names, (members) => {
        const shares = members.map((member) => shareOf(member, members));
        expect(shares.reduce((slots, share) => slots | share, noSlots)).toBe(allSlots);
        expect(shares.reduce((count, share) => count + countSlots(share), 0)).toBe(slotCount);
        expect(shares[0]).toBe(shareOf(members[0]!, [...members].reverse()));
      }),
      { numRuns: 20 },
    );
  });

  it('moves no slot between remaining members when one joins or leaves', () => {
    fc.assert(
      fc.property(names, (members) => {
        const [joining, ...others] = members;
        for (const member of others) {
          const [before, after] = [shareOf(member, others), shareOf(member, members)];
          expect(after & before).toBe(after);
          expect(before & ~after & ~shareOf(joining!, members)).toBe(noSlots);
        }
      }),
      { numRuns: 20 },
    );
  });

  it.each([2, 3, 5, 10, 20])('is about equal among %i members: none has 1.5 times its part', (count) => {
    const counts = replicas(count).map((member) => countSlots(shareOf(member, replicas(count))));
    expect(Math.max(...counts)).toBeLessThan((1.5 * slotCount) / count);
    expect(Math.min(...counts)).toBeGreaterThan((0.55 * slotCount) / count);
  });
});

describe('the slots of keys', () => {
  it('keys that differ only in their last letters are in all slots', () => {
    const used = new Set(Array.from({ length: 20_000 }, (_, index) => slotOf(`team-${index}/web`)));
    expect(used.size).toBe(slotCount);
    for (const slot of used) expect(slot >= 0 && slot < slotCount).toBe(true);
  });

  it('a key has the same slot on every machine and in every version', () => {
    expect(['web/a', 'worker-1', 'ü/ñ', ''].map(slotOf)).toEqual([934, 1020, 603, 881]);
  });

  it('slots form a set', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(slotCount - 1)), (numbers) => {
        const slots = slotsOf(numbers);
        expect(countSlots(slots)).toBe(numbers.length);
        const table = tableOf(slots);
        expect([...table.keys()].filter((slot) => table[slot] === 1)).toEqual([...numbers].sort((a, b) => a - b));
      }),
      { numRuns: 20 },
    );
  });
});

const configOf = (identity: string, incarnation: string): MembershipConfig => ({
  lease: { namespace: 'web', name: `labeller-${identity}` },
  group: 'labeller',
  identity,
  incarnation,
  leaseDuration: 15_000,
  renewDeadline: 10_000,
  retryPeriod: 2_000,
  releaseTimeout: 30_000,
  ...membershipRules(incarnation, 2_000),
});

const config = configOf('a', 'aaaa');

const other = configOf('b', 'bbbb');

const stored = (by: MembershipConfig, sequence: number, slots: Slots): Lease => {
  const claim = claimToWrite(by, { sequence, slots });
  const lease = writtenLease(by.lease, claim, { known: undefined, isRenewal: false, time: sequence });
  return {
    ...lease,
    metadata: { ...lease.metadata, uid: `uid-${by.identity}`, resourceVersion: String(sequence) },
  } as Lease;
};

/** The slots that an update among some effects claims. */
const claimedBy = (effects: readonly Effect[]): readonly (Slots | undefined)[] =>
  effects.flatMap((effect) => (effect.type === 'update' ? [readMemberLease(effect.lease).claim?.slots] : []));

type TestInput = Input extends infer Each ? (Each extends unknown ? Omit<Each, 'random' | 'time'> : never) : never;

const shows = (at: number, ...objects: readonly Lease[]): TestInput => ({
  type: 'changes',
  at,
  set: {
    reason: 'watch',
    changes: objects.map((object) => ({ type: 'added', key: `web/${object.metadata.name}`, object })),
  },
});

/** The result of several inputs in a row, without jitter. */
function follow(state: State, ...inputs: readonly TestInput[]) {
  const effects: (readonly Effect[])[] = [];
  for (const input of inputs) {
    const next = step(config, state, { ...input, time: input.at, random: 0.5 });
    state = next.state;
    effects.push(next.effects);
  }
  return { state, effects, types: effects.map((of) => of.map(({ type }) => type)) };
}

const listed: TestInput = { type: 'changes', at: 0, set: { reason: 'initial', changes: [] } };

const written = (at: number, sequence: number, slots: Slots = allSlots): TestInput => ({
  type: 'written',
  at,
  lease: stored(config, sequence, slots),
});

const joining = [listed, { type: 'read', at: 0, lease: undefined }] as const;

describe('one step of a member', () => {
  it('sends nothing before the group is listed, and then writes its Lease', () => {
    expect(follow(initialMembership, { type: 'alarm', at: 5 }).types).toEqual([[]]);
    expect(follow(initialMembership, ...joining).types).toEqual([['read'], ['create']]);
  });

  it('owns nothing when its claim was written, only after the watch delivers the claim', () => {
    const { state } = follow(initialMembership, ...joining, written(1, 1));
    expect(state.owned).toBe(noSlots);
    expect(follow(state, shows(2, stored(config, 1, allSlots))).state.owned).toBe(allSlots);
  });

  it('owns nothing while its claim was delivered but its write has no response yet', () => {
    const { state } = follow(initialMembership, ...joining, shows(2, stored(config, 1, allSlots)));
    expect(state.owned).toBe(noSlots);
    expect(follow(state, written(3, 1)).state.owned).toBe(allSlots);
  });

  it('does not own a slot that another member claims, until that claim is gone', () => {
    const shown = shows(2, stored(other, 1, allSlots), stored(config, 1, allSlots));
    const { state } = follow(initialMembership, ...joining, written(1, 1), shown);
    expect(state.owned).toBe(noSlots);
    const free = shows(3, stored(other, 2, noSlots), stored(config, 2, state.share.slots));
    expect(follow(state, free).state.owned).toBe(state.share.slots);
  });

  it('L3: treats another member as dead only after a write of its own, sent after that lease expired, was delivered', () => {
    const shown = shows(2, stored(other, 1, allSlots), stored(config, 1, allSlots));
    const { state } = follow(
      initialMembership,
      ...joining,
      written(1, 1),
      shown,
      { type: 'alarm', at: 2_000 },
      written(2_000, 2),
      // The watch shows nothing for a long time, while all renewals succeed.
      ...[4, 6, 8, 10, 12, 14, 16, 18, 20].flatMap((seconds, index): TestInput[] => [
        { type: 'alarm', at: seconds * 1_000 },
        written(seconds * 1_000, index + 3),
      ]),
    );
    expect(state.published.members).toEqual(['a', 'b']);
    const old = follow(state, shows(21_000, stored(config, 8, state.claimed)));
    expect(old.state.owned).toBe(noSlots);
    const fresh = follow(state, shows(21_000, stored(config, 10, state.claimed)));
    expect(fresh.state.published.members).toEqual(['a']);
  });

  it('gives up all slots at the deadline, and ignores claims from before it', () => {
    const owner = follow(initialMembership, ...joining, written(1, 1), shows(2, stored(config, 1, allSlots))).state;
    expect(membershipAlarm(config, { ...owner, holder: { ...owner.holder, nextAttemptAt: Infinity } })).toBe(10_000);
    const late = follow(owner, { type: 'alarm', at: 10_000 });
    expect(late.state.owned).toBe(noSlots);
    expect(late.effects[0]![0]).toMatchObject({
      type: 'tell',
      news: { lost: allSlots, errors: [{ code: 'RXI_RENEW_DEADLINE' }] },
    });
    const back = follow(late.state, written(10_001, 2));
    expect(back.state.owned).toBe(noSlots);
    expect(follow(back.state, shows(10_002, stored(config, 2, allSlots))).state.owned).toBe(allSlots);
  });

  it('reports a loss before it writes, and keeps the claim until the work has ended', () => {
    const owner = follow(initialMembership, ...joining, written(1, 1), shows(2, stored(config, 1, allSlots))).state;
    const losing = follow(owner, shows(3, stored(other, 1, noSlots)));
    expect(losing.types).toEqual([['tell']]);
    const { share } = losing.state;
    expect(losing.state.owned).toBe(share.slots);
    const released = follow(losing.state, { type: 'released', at: 4, id: 1 });
    expect(claimedBy(released.effects[0]!)).toEqual([share.slots]);
  });

  it('ignores a claim from before a withdrawal when it claims again', () => {
    const owner = follow(initialMembership, ...joining, written(1, 1), shows(2, stored(config, 1, allSlots))).state;
    const joined = follow(owner, shows(3, stored(other, 1, noSlots)), { type: 'released', at: 4, id: 1 }).state;
    const { slots } = joined.share;
    const change = {
      type: 'deleted',
      key: 'web/labeller-b',
      object: stored(other, 2, noSlots),
      finalStateUnknown: false,
    } as const;
    const left: TestInput = { type: 'changes', at: 6, set: { reason: 'watch', changes: [change] } };
    const again = follow(joined, written(5, 2, slots), left, written(7, 3));
    expect(claimedBy(again.effects[1]!)).toEqual([allSlots]);
    expect(again.state.owned).toBe(slots);
    expect(follow(again.state, shows(8, stored(config, 3, allSlots))).state.owned).toBe(allSlots);
  });

  it('reads again at once after a conflict, but not forever', () => {
    const conflicting = new StatusError({ method: 'PUT', url: '/x' }, { code: 409 });
    const conflict = (at: number): TestInput => ({ type: 'failed', at, error: conflicting });
    const first = follow(initialMembership, ...joining, conflict(1));
    expect(first.types[2]).toEqual(['read']);
    const second = follow(first.state, { type: 'read', at: 2, lease: stored(config, 1, allSlots) }, conflict(3));
    expect(second.types).toEqual([['update'], ['tell']]);
    expect(second.state.holder.nextAttemptAt).toBe(2_003);
  });

  it('ignores late responses, and the end of unknown work', () => {
    const idle = follow(initialMembership, written(1, 1), { type: 'released', at: 2, id: 7 });
    expect(idle.state).toEqual(initialMembership);
  });
});
