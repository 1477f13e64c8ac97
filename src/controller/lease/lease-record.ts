import type { Lease } from '../../kubernetes/resources/everyday.js';
import { parseMicroTime, formatMicroTime } from '../../kubernetes/object.js';
import type { NewObject } from '../api/call-options.js';

/** Which Lease is meant. */
export interface LeaseName {
  readonly namespace: string;
  readonly name: string;
}

/** As messages and paths say it: `namespace/name`. */
export function leaseKey({ namespace, name }: LeaseName): string {
  return `${namespace}/${name}`;
}

/**
 * One moment on two clocks, in milliseconds. Elapsed time (`at`) does not pass while the machine
 * sleeps, and the time of day (`time`) can be set.
 *
 * A replica decides by the safe one. What it holds itself is over by the clock that says more
 * (`mostElapsed`). What another replica holds is over by elapsed time only, because no replica may
 * take a lease too early (L3).
 */
export interface Moment {
  readonly at: number;
  readonly time: number;
}

/** Returns how much time has passed since then, on the clock that says more. */
export function mostElapsed(since: Moment, now: Moment): number {
  return Math.max(now.at - since.at, now.time - since.time);
}

/** What a Lease says about who holds it, read from its `spec` without believing that the spec is well formed. */
export interface LeaseRecord {
  /** Who holds it; `''` is nobody. */
  readonly holder: string;
  /** For how long after its last change others leave it alone, in milliseconds; undefined where it does not say. */
  readonly duration: number | undefined;
  /** How often it went from one holder to another. */
  readonly transitions: number;
  /** When the holder got it, by the holder's clock, as it was written (`MicroTime`); never compared with another clock (L3). */
  readonly acquireTime: string | undefined;
  /** When the holder renewed it last, by the holder's clock, as it was written. */
  readonly renewTime: string | undefined;
  /** What is wrong with the spec, a sentence each; a field that is wrong reads as if it were not there. */
  readonly problems: readonly string[];
}

/**
 * Reads a lease; never throws.
 *
 * A holder that is no string still is a holder: it reads as its JSON text, so that nobody takes the lease before its time.
 */
export function readLease(lease: Lease): LeaseRecord {
  const spec: Readonly<Record<string, unknown>> = { ...lease.spec };
  const problems: string[] = [];
  const field = <T>(name: string, expected: string, read: (value: unknown) => T | undefined): T | undefined => {
    const value = spec[name];
    if (value === undefined || value === null) return undefined;
    const known = read(value);
    if (known === undefined) problems.push(`spec.${name} is ${JSON.stringify(value)}, not ${expected}`);
    return known;
  };
  const unreadable = (value: unknown): string => (value === undefined || value === null ? '' : JSON.stringify(value));
  const holder = field('holderIdentity', 'a string', stringOf) ?? unreadable(spec['holderIdentity']);
  const seconds = field('leaseDurationSeconds', 'a whole number above 0', (value) => wholeNumberOf(value, 1));
  return {
    holder,
    duration: seconds === undefined ? undefined : seconds * 1_000,
    transitions: field('leaseTransitions', 'a whole number', (value) => wholeNumberOf(value, 0)) ?? 0,
    acquireTime: field('acquireTime', 'an RFC 3339 time', microTimeOf),
    renewTime: field('renewTime', 'an RFC 3339 time', microTimeOf),
    problems,
  };
}

/** Whether two records say the same; a change of labels or annotations is none, and does not keep a dead holder's lease alive. */
export function isSameRecord(a: LeaseRecord, b: LeaseRecord): boolean {
  return (
    a.holder === b.holder &&
    a.duration === b.duration &&
    a.transitions === b.transitions &&
    a.acquireTime === b.acquireTime &&
    a.renewTime === b.renewTime
  );
}

function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function wholeNumberOf(value: unknown, least: number): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= least ? value : undefined;
}

function microTimeOf(value: unknown): string | undefined {
  return typeof value === 'string' && parseMicroTime(value) !== undefined ? value : undefined;
}

/** A lease as it was seen, and since when it says what it says. */
export interface LeaseObservation {
  readonly lease: Lease;
  readonly record: LeaseRecord;
  /** When this process saw the record for the first time, in milliseconds of its own scheduler: the only time that counts (L3). */
  readonly since: number;
}

/** What is known after the lease was seen at `now`: where it says what it said before, `since` and `record` are kept. */
export function observeLease(previous: LeaseObservation | undefined, lease: Lease, now: number): LeaseObservation {
  const record = readLease(lease);
  const isSame = previous?.lease.metadata.uid === lease.metadata.uid && isSameRecord(previous.record, record);
  return isSame ? { ...previous, lease } : { lease, record, since: now };
}

/** Who writes a lease, and what about. */
export interface Holding {
  readonly identity: string;
  /** Milliseconds, whole seconds of them. */
  readonly duration: number;
  /** Milliseconds since 1970, by the clock of who writes. */
  readonly now: number;
}

/** The lease where there was none: held by `identity`, no transition yet. */
export function newLease(
  name: LeaseName,
  { identity, duration, now }: Holding,
  labels?: Readonly<Record<string, string>>,
): NewObject<Lease> {
  const time = formatMicroTime(now);
  return {
    metadata: { ...name, ...(labels === undefined ? {} : { labels }) },
    spec: {
      holderIdentity: identity,
      leaseDurationSeconds: duration / 1_000,
      acquireTime: time,
      renewTime: time,
      leaseTransitions: 0,
    },
  };
}

/**
 * The lease as its next version should be, held by `identity`: renewed where it is the holder already (`acquireTime` and transitions
 * are kept), otherwise acquired (one transition more) (L4). What else stands in it is kept, `resourceVersion` too: the write is a 409
 * where somebody else was faster.
 */
export function heldBy(lease: Lease, { identity, duration, now }: Holding): Lease {
  const { holder, transitions, acquireTime } = readLease(lease);
  const time = formatMicroTime(now);
  const isHolder = holder === identity;
  return {
    ...lease,
    spec: {
      ...lease.spec,
      holderIdentity: identity,
      leaseDurationSeconds: duration / 1_000,
      acquireTime: isHolder ? (acquireTime ?? time) : time,
      renewTime: time,
      leaseTransitions: isHolder ? transitions : transitions + 1,
    },
  };
}

/** The lease given back: no holder, for one second, transitions kept (L6). */
export function releasedLease(lease: Lease, now: number): Lease {
  const time = formatMicroTime(now);
  return {
    ...lease,
    spec: {
      ...lease.spec,
      holderIdentity: '',
      leaseDurationSeconds: 1,
      acquireTime: time,
      renewTime: time,
      leaseTransitions: readLease(lease).transitions,
    },
  };
}
