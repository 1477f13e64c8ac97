import { formatMicroTime, parseMicroTime } from '../../kubernetes/object.js';
import type { Lease } from '../../kubernetes/resources/everyday.js';
import type { NewObject } from '../../requests/resource-client/call-options.js';

/** Identifies a Lease. */
export interface LeaseName {
  readonly namespace: string;
  readonly name: string;
}

/** Returns `namespace/name`, for messages and paths. */
export function leaseKey({ namespace, name }: LeaseName): string {
  return `${namespace}/${name}`;
}

/**
 * One moment on two clocks, in milliseconds: `at` is elapsed time, which stands still during sleep;
 * `time` is the time of day, which can be set. For its own lease, a replica uses the one on which
 * more time has passed (`hasPassed`); for another's only elapsed time, so as not to take it too
 * early (L3).
 */
export interface ClockTimes {
  readonly at: number;
  readonly time: number;
}

/** Returns the time since `since`, on the clock on which more time has passed. */
export function maxElapsed(since: ClockTimes, now: ClockTimes): number {
  return Math.max(now.at - since.at, now.time - since.time);
}

/**
 * True if this many milliseconds have passed since `since` on at least one clock. Adds to `since`,
 * as alarms do: a subtraction rounds differently, so an alarm could find its deadline not passed,
 * and be set to the same moment again and again.
 */
export function hasPassed(milliseconds: number, since: ClockTimes, now: ClockTimes): boolean {
  return now.at >= since.at + milliseconds || now.time >= since.time + milliseconds;
}

/** The holder of a Lease and its times, read from a `spec` that may not be well formed. */
export interface LeaseRecord {
  /** The holder; `''` if there is none. */
  readonly holder: string;
  /** Milliseconds others wait after the last change before they take the Lease, if stated. */
  readonly duration: number | undefined;
  /** How often the holder changed. */
  readonly transitions: number;
  /** The holder's clock, as written (`MicroTime`). Never compared with another clock (L3). */
  readonly acquireTime: string | undefined;
  /** When the holder last renewed the Lease, by the holder's clock, as it is written. */
  readonly renewTime: string | undefined;
  /** What is wrong with the spec. Malformed fields other than the holder are absent. */
  readonly problems: readonly string[];
}

/**
 * Returns the record of a Lease. Never throws. A holder that is not a string becomes JSON text: it
 * counts, so that no replica takes the Lease too early.
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

/** A Lease as this process saw it, and since when its record has not changed. */
export interface LeaseObservation {
  readonly lease: Lease;
  readonly record: LeaseRecord;
  /**
   * When this process saw the record for the first time, in milliseconds of its own scheduler. The
   * duration of the Lease counts from this time, not from the times in the record (L3).
   */
  readonly since: number;
}

/** Observes `lease` at `now`. An unchanged record keeps its previous `since` and `record`. */
export function observeLease(previous: LeaseObservation | undefined, lease: Lease, now: number): LeaseObservation {
  const record = readLease(lease);
  const isSame = previous?.lease.metadata.uid === lease.metadata.uid && isSameRecord(previous.record, record);
  return isSame ? { ...previous, lease } : { lease, record, since: now };
}

/**
 * Returns true if two records are equal. Records do not contain labels and annotations. So a client
 * that changes labels does not keep the Lease of a dead holder alive.
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

/** What a replica writes into a Lease. */
export interface LeaseClaim {
  readonly identity: string;
  readonly leaseDuration: number;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  /** True if `leaseTransitions` counts the changes of the holder (L4). */
  readonly countsTransitions: boolean;
}

/**
 * Returns the Lease as `identity` writes it at the time of day `time`. A renewal keeps
 * `acquireTime` and transitions; any other write sets both (L4). Keeps the other fields of `known`,
 * also its `resourceVersion`, so it conflicts if another client was faster.
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
