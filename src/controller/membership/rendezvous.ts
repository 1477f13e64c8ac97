import { fnv1a64 } from '../../sources/shard/hash64.js';
import { mix, slotCount, slotsOf, type Slots } from './slots.js';

/**
 * The slots of one of several members, by rendezvous hashing: each slot belongs to the member that scores highest for it.
 *
 * A member that joins takes what it scores highest for, about an n-th from each; one that leaves leaves its own to the others; no
 * other slot moves.
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
