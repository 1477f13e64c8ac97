import type { Lease } from '../../kubernetes/resources/everyday.js';
import type { NewObject } from '../api/call-options.js';
import { readLease } from '../lease/lease-record.js';
import { formatMicroTime } from '../../kubernetes/object.js';
import type { MembershipConfig } from './protocol.js';
import { allSlots, noSlots, type Slots } from './slots.js';

/** The label by which the Leases of a group are found; its value is the name of the group. */
export const groupLabel = 'rx-informers.github.io/shard-group';

/** The annotation in which a replica says what it claims. */
export const claimAnnotation = 'rx-informers.github.io/shard-claim';

/** What a replica says of itself in its Lease. */
export interface Claim {
  /** Tells a process from another one with the same identity. */
  readonly incarnation: string;
  /** One more with each write. */
  readonly sequence: number;
  readonly slots: Slots;
}

/** What a Lease of the group says. */
export interface LeaseReading {
  /** The holder; `''` where there is none. */
  readonly identity: string;
  /** `undefined` where it cannot be read: it may then be anything. */
  readonly claim: Claim | undefined;
  /** False where it does not claim to be a replica's at all. */
  readonly isReplica: boolean;
  /** Milliseconds; `undefined` where it does not say a sensible one. */
  readonly duration: number | undefined;
  /** Changes whenever the holder renews; nothing else in it is compared (L3). */
  readonly record: string;
  readonly problem: string | undefined;
}

/** Reads a Lease that anybody may have written. */
export function readMemberLease(lease: Lease): LeaseReading {
  const text: unknown = lease.metadata.annotations?.[claimAnnotation];
  const { holder, duration, renewTime } = readLease(lease);
  const claim = claimOf(text);
  const isReplica = text !== undefined;
  const record = JSON.stringify([text, holder, duration, renewTime]);
  return { identity: holder, claim, isReplica, duration, record, problem: problemOf(isReplica, claim, duration) };
}

function problemOf(isReplica: boolean, claim: Claim | undefined, duration: number | undefined): string | undefined {
  if (!isReplica)
    return `it has the label ${groupLabel}, but no annotation ${claimAnnotation}; it is left out of account`;
  if (claim === undefined)
    return `its annotation ${claimAnnotation} cannot be read; while it is renewed it may own anything, and no keys are taken over`;
  if (duration === undefined)
    return 'its leaseDurationSeconds is no number of seconds; that of this replica is taken instead';
  return undefined;
}

const format = 1;
const hexadecimal = /^[0-9a-f]{1,256}$/;

function claimOf(text: unknown): Claim | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    const parsed = JSON.parse(text) as Partial<Record<string, unknown>> | null;
    const { version, incarnation, sequence, slots } = parsed ?? {};
    if (version !== format || typeof incarnation !== 'string' || typeof sequence !== 'number') return undefined;
    if (typeof slots !== 'string' || !hexadecimal.test(slots)) return undefined;
    return { incarnation, sequence, slots: BigInt(`0x${slots}`) };
  } catch {
    return undefined;
  }
}

/** What it may own: everything where it cannot be read. */
export function slotsClaimedBy({ claim, isReplica }: LeaseReading): Slots {
  if (!isReplica) return noSlots;
  return claim?.slots ?? allSlots;
}

/** The Lease as this replica writes it; what others added to it stays. */
export function writtenLease(
  config: MembershipConfig,
  { sequence, slots }: Pick<Claim, 'sequence' | 'slots'>,
  known: Lease | undefined,
  now: number,
): NewObject<Lease> {
  const { namespace, leaseName: name, incarnation, identity, group, leaseDuration } = config;
  const isOurs = known !== undefined && readMemberLease(known).claim?.incarnation === incarnation;
  const renewTime = formatMicroTime(now);
  const claim = JSON.stringify({ version: format, incarnation, sequence, slots: slots.toString(16) });
  return {
    metadata: {
      ...known?.metadata,
      name,
      namespace,
      labels: { ...known?.metadata.labels, [groupLabel]: group },
      annotations: { ...known?.metadata.annotations, [claimAnnotation]: claim },
    },
    spec: {
      ...known?.spec,
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(leaseDuration / 1000),
      acquireTime: isOurs ? (known.spec?.acquireTime ?? renewTime) : renewTime,
      renewTime,
    },
  };
}

/** The Lease of a replica that leaves: it holds nothing, and claims nothing. */
export function releasedLease(config: MembershipConfig, known: Lease, sequence: number, now: number): Lease {
  const released = writtenLease(config, { sequence, slots: noSlots }, known, now);
  return { ...known, ...released, spec: { ...released.spec, holderIdentity: '' } } as Lease;
}
