import type { Lease } from '../../kubernetes/resources/everyday.js';
import { fnv1a64 } from '../../sources/reflector/shard.js';
import { nothingWritten, writtenAnnotation, writtenIn, type WrittenVersions } from '../lease/hand-over.js';
import { readLease, type LeaseClaim } from '../lease/lease-record.js';

/**
 * A set of slots, with one bit for each slot. Keys are hashed into slots, and replicas own, claim
 * and hand over slots. A set of slots fits into an annotation, however many keys there are.
 */
export type Slots = bigint;

/** Enough for an even division among fifty replicas. Must be the same in the whole group. */
export const slotCount = 1024;

export const noSlots: Slots = 0n;
export const allSlots: Slots = (1n << BigInt(slotCount)) - 1n;

/** Returns the slot of a key. The slot is the same on every machine. */
export function slotOf(key: string): number {
  const { high, low } = fnv1a64(key);
  return mix(high ^ low) % slotCount;
}

export function slotsOf(numbers: Iterable<number>): Slots {
  const digits = new Uint8Array(slotCount / 4);
  for (const number of numbers) {
    const index = digits.length - 1 - (number >> 2);
    digits[index] = (digits[index] ?? 0) | (1 << (number & 3));
  }
  return BigInt(`0x${Array.from(digits, (digit) => digit.toString(16)).join('')}`);
}

export function without(slots: Slots, others: Slots): Slots {
  return slots & ~others;
}

export function countOf(slots: Slots): number {
  let count = 0;
  for (const digit of slots.toString(2)) if (digit === '1') count += 1;
  return count;
}

/** Returns one byte for each slot, for frequent look-ups. */
export function tableOf(slots: Slots): Uint8Array {
  const bits = slots.toString(2);
  return Uint8Array.from({ length: slotCount }, (_, slot) => (bits[bits.length - 1 - slot] === '1' ? 1 : 0));
}

/** Lets each bit influence each bit of the result (the finalizer of MurmurHash3). */
function mix(number: number): number {
  let mixed = Math.imul(number ^ (number >>> 16), 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/**
 * Returns the slots of one member by rendezvous hashing: each slot belongs to the member with the
 * highest score. Who joins n - 1 members takes about an n-th of each one's slots; slots of one that
 * leaves go to the others. No other slot moves.
 */
export function shareOf(member: string, members: readonly string[]): Slots {
  const own = seedOf(member);
  const rivals = members.filter((name) => name !== member).map((name) => ({ name, seed: seedOf(name) }));
  const slots: number[] = [];
  for (let slot = 0; slot < slotCount; slot += 1) {
    const salt = mix(slot + 1);
    const score = mix(own ^ salt);
    const isWinner = ({ name, seed }: Rival): boolean => {
      const rival = mix(seed ^ salt);
      return rival > score || (rival === score && name < member);
    };
    if (!rivals.some(isWinner)) slots.push(slot);
  }
  return slotsOf(slots);
}

interface Rival {
  readonly name: string;
  readonly seed: number;
}

function seedOf(member: string): number {
  const { high, low } = fnv1a64(member);
  return mix(high ^ low);
}

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
  const problem = problemOf(isReplica, claim, duration);
  return { identity: holder, claim, isReplica, duration, record, written: writtenIn(lease), problem };
}

function problemOf(isReplica: boolean, claim: Claim | undefined, duration: number | undefined): string | undefined {
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
