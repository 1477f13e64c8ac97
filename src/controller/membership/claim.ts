import { fnv1a64 } from '../../sources/reflector/shard.js';
import type { Lease } from '../../kubernetes/resources/everyday.js';
import { readLease, type LeaseClaim } from '../lease/lease-record.js';

/**
 * A set of slots, one bit each. Keys are hashed into slots, and replicas own, claim and hand over
 * slots: a set of them fits into an annotation, whatever the keys are.
 */
export type Slots = bigint;

/**
 * The number of slots: enough for fifty replicas to have about equally many. It must be the same
 * for all replicas of a group.
 */
export const slotCount = 1024;

export const noSlots: Slots = 0n;
export const allSlots: Slots = (1n << BigInt(slotCount)) - 1n;

/** Returns the slot of a key: the same on every machine. */
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

/**
 * Mixes 32 bits so that each bit of the number influences each bit of the result (the finalizer of
 * MurmurHash3).
 */
function mix(number: number): number {
  let mixed = Math.imul(number ^ (number >>> 16), 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/**
 * Returns the slots of one of several members, by rendezvous hashing: each slot belongs to the
 * member that scores highest for it.
 *
 * A member that joins takes the slots for which it scores highest, about an n-th from each other
 * member. The slots of a member that leaves go to the others. No other slot moves.
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

/** The annotation in which a replica says what it claims. */
const claimAnnotation = 'rx-informers.github.io/shard-claim';

/** What a replica says about itself in its Lease. */
export interface Claim {
  /** Differs between two processes with the same identity. */
  readonly incarnation: string;
  /** Grows by one with each write. */
  readonly sequence: number;
  readonly slots: Slots;
}

/** What a Lease of the group says. */
export interface LeaseReading {
  /** The holder; `''` if there is none. */
  readonly identity: string;
  /** Undefined if it cannot be read: then it may be anything. */
  readonly claim: Claim | undefined;
  /** False if it does not claim to be a replica's. */
  readonly isReplica: boolean;
  /** Milliseconds; undefined if it does not say a valid one. */
  readonly duration: number | undefined;
  /** Changes whenever the holder renews; nothing else in it is compared (L3). */
  readonly record: string;
  readonly problem: string | undefined;
}

/** Returns what a Lease says, whichever client wrote it. */
export function readMemberLease(lease: Lease): LeaseReading {
  const text: unknown = lease.metadata.annotations?.[claimAnnotation];
  const { holder, duration, renewTime } = readLease(lease);
  const claim = claimOf(text);
  const isReplica = text !== undefined;
  const record = JSON.stringify([text, holder, duration, renewTime]);
  return { identity: holder, claim, isReplica, duration, record, problem: problemOf(isReplica, claim, duration) };
}

function problemOf(isReplica: boolean, claim: Claim | undefined, duration: number | undefined): string | undefined {
  if (!isReplica) return `it has the label ${groupLabel}, but no annotation ${claimAnnotation}; it is ignored`;
  if (claim === undefined)
    return `its annotation ${claimAnnotation} cannot be read; while it is renewed it may own anything, and no keys are taken over`;
  if (duration === undefined)
    return 'its leaseDurationSeconds is not a number of seconds; that of this replica is used';
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

/** Returns what a Lease may own: everything if it cannot be read. */
export function slotsClaimedBy({ claim, isReplica }: LeaseReading): Slots {
  if (!isReplica) return noSlots;
  return claim?.slots ?? allSlots;
}

/** The replica that claims. */
export interface Claimant {
  readonly identity: string;
  readonly group: string;
  readonly incarnation: string;
  readonly leaseDuration: number;
}

/** Returns what a replica writes into its Lease. */
export function claimToWrite(
  { identity, leaseDuration, group, incarnation }: Claimant,
  { sequence, slots }: Pick<Claim, 'sequence' | 'slots'>,
): LeaseClaim {
  const claim = JSON.stringify({ version: format, incarnation, sequence, slots: slots.toString(16) });
  return {
    identity,
    leaseDuration,
    labels: { [groupLabel]: group },
    annotations: { [claimAnnotation]: claim },
    countsTransitions: false,
  };
}
