import fc from 'fast-check';
import type { Lease } from 'rx-informers';
import { observeLease, readLease, writtenLease } from '../../../src/controller/lease/lease-record.js';
import { releasedLease } from '../../../src/controller/lease/release-lease.js';

const aLease = (spec: unknown, { uid = 'u1', resourceVersion = '1' } = {}): Lease => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { namespace: 'default', name: 'operator', uid, resourceVersion },
  spec: spec as NonNullable<Lease['spec']>,
});
const stored = {
  holderIdentity: 'a',
  leaseDurationSeconds: 15,
  acquireTime: '2026-01-01T00:00:00.123456Z',
  renewTime: '2026-01-01T00:00:10.000000Z',
  leaseTransitions: 3,
};

const field = fc.constantFrom('holderIdentity', 'leaseDurationSeconds', 'leaseTransitions', 'acquireTime', 'renewTime');

describe('readLease', () => {
  it('parses the record of a Lease', () => {
    expect(readLease(aLease(stored))).toEqual({
      holder: 'a',
      duration: 15_000,
      transitions: 3,
      acquireTime: stored.acquireTime,
      renewTime: stored.renewTime,
      problems: [],
    });
  });

  it.each([undefined, null, {}, { holderIdentity: '' }, { holderIdentity: null }])('reads %p as no holder', (spec) => {
    expect(readLease(aLease(spec))).toMatchObject({ holder: '', duration: undefined, transitions: 0, problems: [] });
  });

  it('never throws, and reports everything that is wrong with the lease', () => {
    fc.assert(
      fc.property(fc.dictionary(field, fc.jsonValue()), (spec) => {
        const record = readLease(aLease(spec));
        expect(typeof record.holder).toBe('string');
      }),
    );
    expect(readLease(aLease({ holderIdentity: ['x'], leaseDurationSeconds: 1.5, leaseTransitions: -1 }))).toMatchObject(
      {
        holder: '["x"]',
        duration: undefined,
        transitions: 0,
        problems: [
          'spec.holderIdentity is ["x"], not a string',
          'spec.leaseDurationSeconds is 1.5, not a whole number above 0',
          'spec.leaseTransitions is -1, not a whole number',
        ],
      },
    );
  });
});

describe('the lease that a candidate writes', () => {
  const claim = { identity: 'a', leaseDuration: 20_000, countsTransitions: true };
  const name = { namespace: 'default', name: 'operator' };
  const ownedBy = (lease: Lease) =>
    writtenLease(name, claim, { known: lease, isRenewal: lease.spec?.holderIdentity === 'a', time: 5_000 });

  it('begins with zero transitions', () => {
    const first = { known: undefined, isRenewal: false, time: 5_000 };
    expect(writtenLease({ namespace: 'web', name: 'x' }, { ...claim, labels: { app: 'x' } }, first)).toEqual({
      metadata: { namespace: 'web', name: 'x', labels: { app: 'x' } },
      spec: {
        holderIdentity: 'a',
        leaseDurationSeconds: 20,
        acquireTime: '1970-01-01T00:00:05.000000Z',
        renewTime: '1970-01-01T00:00:05.000000Z',
        leaseTransitions: 0,
      },
    });
  });

  it('L4: keeps acquireTime and transitions when the holder renews, to the microsecond, and all unknown fields', () => {
    const lease = aLease({ ...stored, strategy: 'OldestEmulationVersion', preferredHolder: 'z' });
    expect(ownedBy(lease)).toEqual({
      ...lease,
      spec: { ...lease.spec, leaseDurationSeconds: 20, renewTime: '1970-01-01T00:00:05.000000Z' },
    });
  });

  it.each(['b', ''])('L4: counts one transition if the holder was %p', (holder) => {
    expect(ownedBy(aLease({ ...stored, holderIdentity: holder })).spec).toEqual({
      holderIdentity: 'a',
      leaseDurationSeconds: 20,
      acquireTime: '1970-01-01T00:00:05.000000Z',
      renewTime: '1970-01-01T00:00:05.000000Z',
      leaseTransitions: 4,
    });
  });

  it('L6: has no holder and a duration of one second after a release, and keeps the transitions', () => {
    expect(releasedLease(ownedBy(aLease(stored)) as Lease, claim).spec).toEqual({
      holderIdentity: '',
      leaseDurationSeconds: 1,
      acquireTime: '1970-01-01T00:00:05.000000Z',
      renewTime: '1970-01-01T00:00:05.000000Z',
      leaseTransitions: 3,
    });
  });
});

describe('observeLease', () => {
  const seen = observeLease(undefined, aLease(stored), 100);

  it('L3: keeps the time of the first observation while the record is equal, even if its version changes', () => {
    const again = observeLease(seen, aLease({ ...stored }, { resourceVersion: '2' }), 500);
    expect(again).toMatchObject({ since: 100, lease: { metadata: { resourceVersion: '2' } } });
  });

  it.each([
    { renewTime: '2026-01-01T00:00:10.000001Z' },
    { holderIdentity: 'b' },
    { leaseDurationSeconds: 16 },
    { leaseTransitions: 4 },
    { acquireTime: undefined },
  ])('L3: starts over if the lease contains %p', (change) => {
    expect(observeLease(seen, aLease({ ...stored, ...change }), 500).since).toBe(500);
  });

  it('starts over with another lease of the same name', () => {
    expect(observeLease(seen, aLease(stored, { uid: 'u2' }), 500).since).toBe(500);
  });
});
