import type { Lease } from '../../kubernetes/resources/coordination.js';
import type { NewObject } from '../api/call-options.js';
import type { LeaseName } from './lease-name.js';
import { readLease } from './lease-record.js';
import { formatMicroTime } from '../../kubernetes/micro-time.js';

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
