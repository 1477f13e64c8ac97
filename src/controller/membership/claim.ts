import type { Lease } from '../../kubernetes/resources/everyday.js';
import { readLease, type LeaseClaim } from '../lease/lease-record.js';
import { nothingWritten, writtenAnnotation, writtenIn, type WrittenVersions } from '../lease/written-versions.js';
import { type Slots, noSlots, allSlots } from './slots.js';

/** The label by which the Leases of a group are found; its value is the name of the group. */
export const groupLabel = 'rx-informers.github.io/shard-group';

/** The annotation that holds the claims of a replica. */
const claimAnnotation = 'rx-informers.github.io/shard-claim';

/** What a replica writes about itself into its Lease. */
export interface Claim {
  /** Differs between two processes with the same identity. */
  readonly incarnation: string;
  /** The number of the write; it grows by one with each write. */
  readonly sequence: number;
  readonly slots: Slots;
}

/** The content of a Lease of the group. */
export interface LeaseReading {
  /** The holder; `''` if there is none. */
  readonly identity: string;
  /** Undefined if the claim cannot be read. Then the replica may own any slot. */
  readonly claim: Claim | undefined;
  /** False if the Lease has no claim annotation. Then it does not belong to a replica. */
  readonly isReplica: boolean;
  /** The duration in milliseconds; undefined if the Lease has no valid duration. */
  readonly duration: number | undefined;
  /** Changes each time the holder renews the Lease; it has no other meaning (L3). */
  readonly record: string;
  /** The versions that the holder leaves to the next owner of its slots. */
  readonly written: WrittenVersions;
  readonly problem: string | undefined;
}

/** Reads a Lease of the group. Any client may have written it, so all fields are checked. */
export function readMemberLease(lease: Lease): LeaseReading {
  const text: unknown = lease.metadata.annotations?.[claimAnnotation];
  const { holder, duration, renewTime } = readLease(lease);
  const claim = claimOf(text);
  const isReplica = text !== undefined;
  const record = JSON.stringify([text, holder, duration, renewTime]);
  const problem = claimProblem(isReplica, claim, duration);
  return { identity: holder, claim, isReplica, duration, record, written: writtenIn(lease), problem };
}

function claimProblem(isReplica: boolean, claim: Claim | undefined, duration: number | undefined): string | undefined {
  if (!isReplica) return `it has the label ${groupLabel}, but no annotation ${claimAnnotation}; it is ignored`;
  if (claim === undefined)
    return `its annotation ${claimAnnotation} cannot be read; while the Lease is renewed, this replica takes over no keys`;
  if (duration === undefined)
    return 'its spec.leaseDurationSeconds is not a number of seconds; the duration of this replica is used instead';
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

/** Returns the slots that the holder may own: all slots if the claim cannot be read. */
export function slotsClaimedBy({ claim, isReplica }: LeaseReading): Slots {
  if (!isReplica) return noSlots;
  return claim?.slots ?? allSlots;
}

export interface Claimant {
  readonly identity: string;
  readonly group: string;
  readonly incarnation: string;
  readonly leaseDuration: number;
}

export function claimToWrite(
  { identity, leaseDuration, group, incarnation }: Claimant,
  { sequence, slots }: Pick<Claim, 'sequence' | 'slots'>,
  written = nothingWritten,
): LeaseClaim {
  const claim = JSON.stringify({ version: format, incarnation, sequence, slots: slots.toString(16) });
  return {
    identity,
    leaseDuration,
    labels: { [groupLabel]: group },
    annotations: { [claimAnnotation]: claim, ...writtenAnnotation(written) },
    countsTransitions: false,
  };
}
