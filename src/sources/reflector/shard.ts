import { invalidOptionError } from '../../kubernetes/errors.js';
import type { AnyKubernetesObject } from '../../kubernetes/object.js';
import { checkedChoice } from '../model/checked-options.js';
import { peekType } from '../wire/peek.js';
import type { ScannedText } from '../wire/scanner.js';

/** One of `count` shards, which together see every object exactly once. */
export interface Shard {
  /** The index of this shard, from 0; an integer less than `count`. */
  readonly index: number;
  /**
   * The number of shards: a positive integer, the same in all processes that share the objects.
   * With 1, there is no sharding.
   */
  readonly count: number;
  /**
   * The field that is hashed. Default `uid`: shards are equally large, and an object that is
   * deleted and created again may move to another shard. `namespace` keeps the objects of a
   * namespace together, but may put all namespaces into one shard: names that differ only in their
   * last letters (`team-1`, `team-2`) have hashes so close that they are in the same shard. All
   * objects without a namespace are in one shard, too.
   */
  readonly by?: 'uid' | 'namespace' | undefined;
}

/** One shard for `listWatch`. `shardOf` creates it. */
export interface SourceShard extends Required<Shard> {
  /**
   * Finds the objects of the shard. Being part of this value, it is not in bundles without shards.
   *
   * @internal
   */
  readonly filter: ShardFilter;
  /** The query parameter that requests only this shard. */
  readonly selector: string;
}

/**
 * Selects one of `count` shards for `listWatch`. Sources of all shards together deliver every
 * object exactly once.
 *
 * @param shard the index of this shard, the number of shards, and the field that is hashed
 * @returns the option `shard` of `listWatch`; `undefined` if `count` is 1, because then there is no
 *   sharding
 * @throws `RXI_INVALID_OPTION` for an invalid index, count or `by`
 * @example
 * import { informer, pods, type KubeClient } from 'rx-informers';
 * import { shardOf } from 'rx-informers/shard';
 *
 * declare const client: KubeClient;
 * informer(client, pods, { shard: shardOf({ index: 0, count: 3 }) });
 */
export function shardOf({ index, count, by = 'uid' }: Shard): SourceShard | undefined {
  if (!(Number.isSafeInteger(count) && count > 0)) {
    throw invalidOptionError('shard.count', count, 'a whole number of at least 1');
  }
  if (!(Number.isSafeInteger(index) && index >= 0 && index < count)) {
    throw invalidOptionError('shard.index', index, `a whole number from 0 to ${count - 1}`);
  }
  checkedChoice('shard.by', by, 'uid', 'namespace');
  const shard = { index, count, by };
  return count === 1 ? undefined : { ...shard, filter: shardFilter(shard), selector: shardSelector(shard) };
}

/** Decides which objects belong to a shard, by the rule of the API server. */
export interface ShardFilter {
  /**
   * Returns true if the object belongs to the shard. If the hashed field is missing, the empty
   * string is hashed, as in the API server, so all such objects are in one shard.
   */
  readonly owns: (object: AnyKubernetesObject) => boolean;
  /**
   * Returns true if the object in a text certainly belongs to another shard. The text is not
   * parsed. If one of its keys occurs twice, `JSON.parse` decides which of them counts.
   */
  readonly isForeign: (text: ScannedText) => boolean;
  /** Returns the change of a line of another shard; `undefined` if it must be parsed. */
  readonly foreignChange: (line: ScannedText) => ForeignChange | undefined;
}

interface ForeignChange {
  readonly change: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly resourceVersion: string;
}

export function shardFilter(shard: Shard): ShardFilter {
  const { start, end } = shardRange(shard);
  const field = shard.by ?? 'uid';
  const ownsText = (text: string): boolean => {
    const hash = fnv1a64(text);
    return !isLess(hash, start) && isLess(hash, end);
  };
  const isForeign = (text: ScannedText): boolean => {
    const value = text.field(field);
    return value !== undefined && !ownsText(value);
  };
  return {
    owns: ({ metadata }) => {
      const value: unknown = metadata?.[field];
      return ownsText(typeof value === 'string' ? value : '');
    },
    isForeign,
    foreignChange: (line) => {
      const resourceVersion = line.field('resourceVersion');
      const change = resourceVersion && isForeign(line) ? peekType(line.bytes) : undefined;
      return resourceVersion && isChange(change) ? { change, resourceVersion } : undefined;
    },
  };
}

function isChange(type: string | undefined): type is ForeignChange['change'] {
  return type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED';
}

/** Returns `shardSelector`, which requests a shard (KEP-5866, alpha in Kubernetes 1.36). */
export function shardSelector(shard: Shard): string {
  const { start, end } = shardRange(shard);
  return `shardRange(object.metadata.${shard.by ?? 'uid'}, '${hexadecimal(start)}', '${hexadecimal(end)}')`;
}

/** Returns sixteen digits, as the server requires, or seventeen for 2^64. */
function hexadecimal({ high, low }: Hash64): string {
  return `0x${digits(high)}${digits(low)}`;
}

function digits(half: number): string {
  return half.toString(16).padStart(8, '0');
}

/** The hashes from `start` up to, but not including, `end`. */
export interface ShardRange {
  readonly start: Hash64;
  readonly end: Hash64;
}

const hashes = 1n << 64n;

/** Returns one of `count` ranges without gaps, whose lengths differ by at most 1. */
export function shardRange({ index, count }: Shard): ShardRange {
  const bound = (number: number): Hash64 => halvesOf((BigInt(number) * hashes) / BigInt(count));
  return { start: bound(index), end: bound(index + 1) };
}

function halvesOf(number: bigint): Hash64 {
  return { high: Number(number >> 32n), low: Number(number & 0xffff_ffffn) };
}

/** 64 bits in two halves of 32; the end of all hashes, 2^64, has a `high` of 2^32. */
export interface Hash64 {
  readonly high: number;
  readonly low: number;
}

const offsetBasis: Hash64 = { high: 0xcbf2_9ce4, low: 0x8422_2325 };

/** The FNV prime is 2^40 plus this number. */
const lowPrime = 0x1b3;

const utf8 = /*#__PURE__*/ new TextEncoder();

/**
 * Returns the FNV-1a hash of UTF-8 bytes, by which API servers shard (KEP-5866). Two halves cost
 * less than a BigInt for each byte. All products are below 2^53, so none is rounded.
 */
export function fnv1a64(text: string): Hash64 {
  let { high, low } = offsetBasis;
  const mix = (byte: number): void => {
    const mixed = (low ^ byte) >>> 0;
    const product = mixed * lowPrime;
    low = product >>> 0;
    high = (high * lowPrime + (product - low) / 0x1_0000_0000 + ((mixed << 8) >>> 0)) >>> 0;
  };
  // Uids and namespaces are ASCII, so each character is one byte.
  if (isAscii(text)) for (let index = 0; index < text.length; index += 1) mix(text.charCodeAt(index));
  else for (const byte of utf8.encode(text)) mix(byte);
  return { high, low };
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) > 0x7f) return false;
  return true;
}

export function isLess(a: Hash64, b: Hash64): boolean {
  return a.high < b.high || (a.high === b.high && a.low < b.low);
}
