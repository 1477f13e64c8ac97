import type { Lease } from '../../kubernetes/resources/coordination.js';
import { parseMicroTime } from '../../kubernetes/micro-time.js';

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
