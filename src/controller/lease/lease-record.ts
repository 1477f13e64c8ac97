import { formatMicroTime, parseMicroTime } from '../../kubernetes/object.js';
import type { Lease } from '../../kubernetes/resources/everyday.js';
import type { NewObject } from '../api/call-options.js';

/** Identifies a Lease. */
export interface LeaseName {
  readonly namespace: string;
  readonly name: string;
}

/** Returns `namespace/name`, as messages and paths have it. */
export function leaseKey({ namespace, name }: LeaseName): string {
  return `${namespace}/${name}`;
}

/**
 * One moment on two clocks, in milliseconds. Elapsed time (`at`) does not pass while the machine
 * sleeps, and the time of day (`time`) can be set.
 *
 * A replica decides by the safe one. What it holds itself is over by the clock that says more
 * (`hasPassed`). What another replica holds is over by elapsed time only, because no replica may
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

/**
 * Returns true if so many milliseconds have passed since then, on the clock that says more.
 *
 * It adds, as alarms do: with fractions of milliseconds, a difference is not exactly what was added,
 * and an alarm that rings too early is set to the same moment for ever.
 */
export function hasPassed(milliseconds: number, since: Moment, now: Moment): boolean {
  return now.at >= since.at + milliseconds || now.time >= since.time + milliseconds;
}

/** The holder of a Lease and its times, read from a `spec` that may not be well formed. */
export interface LeaseRecord {
  /** The holder; `''` if there is none. */
  readonly holder: string;
  /**
   * For how long after its last change other replicas leave the Lease alone, in milliseconds;
   * undefined if it does not say.
   */
  readonly duration: number | undefined;
  /** How often the holder changed. */
  readonly transitions: number;
  /**
   * When the holder acquired it, by the holder's clock, as it was written (`MicroTime`). It is
   * never compared with another clock (L3).
   */
  readonly acquireTime: string | undefined;
  /** When the holder renewed it last, by the holder's clock, as it was written. */
  readonly renewTime: string | undefined;
  /** What is wrong with the spec, a sentence each. A field that is wrong counts as absent. */
  readonly problems: readonly string[];
}

/**
 * Returns what a Lease says; never throws.
 *
 * A holder that is not a string is a holder all the same: its JSON text is returned, so that no
 * replica takes the Lease too early.
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

function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function wholeNumberOf(value: unknown, least: number): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= least ? value : undefined;
}

function microTimeOf(value: unknown): string | undefined {
  return typeof value === 'string' && parseMicroTime(value) !== undefined ? value : undefined;
}

/** A Lease as it was seen, and since when its record has been the same. */
export interface LeaseObservation {
  readonly lease: Lease;
  readonly record: LeaseRecord;
  /**
   * When this process saw the record for the first time, in milliseconds of its own scheduler: the
   * only time that counts (L3).
   */
  readonly since: number;
}

/**
 * Returns the observation of a Lease at `now`. If its record is the same, `since` and `record` are
 * kept.
 */
export function observeLease(previous: LeaseObservation | undefined, lease: Lease, now: number): LeaseObservation {
  const record = readLease(lease);
  const isSame = previous?.lease.metadata.uid === lease.metadata.uid && isSameRecord(previous.record, record);
  return isSame ? { ...previous, lease } : { lease, record, since: now };
}

/**
 * Returns true if two records are equal. Labels and annotations are not compared: a change of them
 * does not keep the Lease of a dead holder alive.
 */
function isSameRecord(a: LeaseRecord, b: LeaseRecord): boolean {
  return (
    a.holder === b.holder &&
    a.duration === b.duration &&
    a.transitions === b.transitions &&
    a.acquireTime === b.acquireTime &&
    a.renewTime === b.renewTime
  );
}

/** Who writes a Lease, and what the Lease is to say besides its holder. */
export interface LeaseClaim {
  readonly identity: string;
  readonly leaseDuration: number;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  /** Counts changes of the holder in `leaseTransitions` (L4). */
  readonly countsTransitions: boolean;
}

/**
 * Returns the Lease as `identity` writes it at the time of day `time`. If `isRenewal`,
 * `acquireTime` and transitions are kept; otherwise it is acquired, with one transition more (L4).
 * All other fields of the `known` Lease are kept, also its `resourceVersion`, so that the write is
 * a conflict if another client was faster.
 */
export function writtenLease(
  { namespace, name }: LeaseName,
  { identity, leaseDuration, labels, annotations, countsTransitions }: LeaseClaim,
  { known, isRenewal, time }: { readonly known: Lease | undefined; readonly isRenewal: boolean; readonly time: number },
): NewObject<Lease> {
  const now = formatMicroTime(time);
  const record = known && readLease(known);
  const transitions = record === undefined ? 0 : record.transitions + (isRenewal ? 0 : 1);
  return {
    ...known,
    metadata: {
      ...known?.metadata,
      namespace,
      name,
      ...(labels && { labels: { ...known?.metadata.labels, ...labels } }),
      ...(annotations && { annotations: { ...known?.metadata.annotations, ...annotations } }),
    },
    spec: {
      ...known?.spec,
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(leaseDuration / 1_000),
      acquireTime: isRenewal ? (record?.acquireTime ?? now) : now,
      renewTime: now,
      ...(countsTransitions && { leaseTransitions: transitions }),
    },
  };
}

/** Returns a Lease without its holder. One that counts transitions lasts one second more (L6). */
export function releasedLease(lease: Lease, { countsTransitions }: LeaseClaim): Lease {
  const { renewTime } = lease.spec ?? {};
  const oneSecond = countsTransitions && { leaseDurationSeconds: 1, acquireTime: renewTime };
  return { ...lease, spec: { ...lease.spec, holderIdentity: '', ...oneSecond } };
}
