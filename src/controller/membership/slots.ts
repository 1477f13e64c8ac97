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

export function withoutSlots(slots: Slots, others: Slots): Slots {
  return slots & ~others;
}

export function countSlots(slots: Slots): number {
  let count = 0;
  for (const digit of slots.toString(2)) if (digit === '1') count += 1;
  return count;
}

/** Returns one byte for each slot, for frequent look-ups. */
export function tableOf(slots: Slots): Uint8Array {
  const bits = slots.toString(2);
  return Uint8Array.from({ length: slotCount }, (_, slot) => (bits[bits.length - 1 - slot] === '1' ? 1 : 0));
}

const utf8 = /*#__PURE__*/ new TextEncoder();

/**
 * Returns the FNV-1a hash of a text in UTF-8, with 64 bits in two halves. The prime is 2^40 plus
 * 0x1b3. No product is rounded, because all are below 2^53.
 */
export function fnv1a64(text: string): { readonly high: number; readonly low: number } {
  let [high, low] = [0xcbf2_9ce4, 0x8422_2325];
  for (const byte of utf8.encode(text)) {
    const mixed = (low ^ byte) >>> 0;
    const product = mixed * 0x1b3;
    low = product >>> 0;
    high = (high * 0x1b3 + (product - low) / 0x1_0000_0000 + ((mixed << 8) >>> 0)) >>> 0;
  }
  return { high, low };
}

/** Lets each bit influence each bit of the result (the finalizer of MurmurHash3). */
function mix(number: number): number {
  let mixed = Math.imul(number ^ (number >>> 16), 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

interface Rival {
  readonly name: string;
  readonly seed: number;
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

function seedOf(member: string): number {
  const { high, low } = fnv1a64(member);
  return mix(high ^ low);
}
