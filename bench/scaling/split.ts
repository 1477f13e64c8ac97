import { fnv1a64 } from '../../src/controller/membership/slots.js';
import { randomFromSeed } from '../../src/testing/virtual-clock.js';

/** Returns a function that returns the owner of a key, one of the `replicas`. */
export type Split = (replicas: readonly string[]) => (key: string) => string;

const POINTS_OF_REPLICA = 100;

/**
 * Returns the hash of a text as a number in [0, 1). FNV-1a alone returns similar upper bits for
 * texts that differ only at their ends, so the hash is mixed once more.
 */
function position(text: string): number {
  const { high, low } = fnv1a64(text);
  let mixed = high ^ low;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
}

/** Splits keys into as many ranges of hashes as there are replicas, all of the same length. */
export const hashRanges: Split = (replicas) => (key) =>
  replicas[Math.floor((fnv1a64(key).high / 2 ** 32) * replicas.length)] ?? '';

/**
 * Splits keys by rendezvous hashing: each key belongs to the replica for which the hash of replica
 * and key is highest.
 */
export const rendezvous: Split = (replicas) => (key) =>
  replicas
    .map((replica) => ({ replica, weight: position(`${replica}/${key}`) }))
    .reduce((best, candidate) => (candidate.weight > best.weight ? candidate : best)).replica;

/**
 * Splits keys by a ring. Each replica has several points on the ring, and a key belongs to the
 * replica of the next point.
 */
export const ring: Split = (replicas) => {
  const points = replicas
    .flatMap((replica) =>
      Array.from({ length: POINTS_OF_REPLICA }, (_, point) => ({ replica, at: position(`${replica}#${point}`) })),
    )
    .sort((a, b) => a.at - b.at);
  return (key) => {
    const at = position(key);
    let [from, to] = [0, points.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((points[middle]?.at ?? 1) < at) from = middle + 1;
      else to = middle;
    }
    return points[from % points.length]?.replica ?? '';
  };
};

/** Returns the share of keys that change their owner, in percent. */
export function movedShare(
  split: Split,
  keys: readonly string[],
  before: readonly string[],
  after: readonly string[],
): number {
  const [ownerBefore, ownerAfter] = [split(before), split(after)];
  return (keys.filter((key) => ownerBefore(key) !== ownerAfter(key)).length / keys.length) * 100;
}

/** Returns the number of keys of the replica with the most keys, divided by the mean. */
export function largestShare(split: Split, keys: readonly string[], replicas: readonly string[]): number {
  const owner = split(replicas);
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(owner(key), (counts.get(owner(key)) ?? 0) + 1);
  return (Math.max(...counts.values()) * replicas.length) / keys.length;
}

/**
 * Returns random uids of version 4, like those of API servers. Every call returns the same uids.
 */
export function uids(count: number): readonly string[] {
  const random = randomFromSeed(4);
  const hex = (length: number): string => Array.from({ length }, () => Math.floor(random() * 16).toString(16)).join('');
  const variant = (): string => '89ab'[Math.floor(random() * 4)] ?? '8';
  return Array.from({ length: count }, () => `${hex(8)}-${hex(4)}-4${hex(3)}-${variant()}${hex(3)}-${hex(12)}`);
}
