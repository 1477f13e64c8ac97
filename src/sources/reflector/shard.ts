import type { KubernetesObject } from '../../kubernetes/object.js';
import { InvalidOptionError } from '../model/errors.js';
import { stringPeek } from '../wire/peek.js';

/** Which of `count` shards, that together see every object exactly once. */
export interface Shard {
  /** From 0; an integer less than `count`. */
  readonly index: number;
  /** How many there are: a positive integer, and the same for all who share the objects. 1 is no sharding at all. */
  readonly count: number;
  /**
   * What is hashed. Default `uid`: shards are equally large, and an object that is created anew may be another one's. `namespace` keeps
   * the objects of a namespace together, but may not share out anything: names that differ in their last letters only (`team-1`,
   * `team-2`) have hashes so close that they are all of one shard. Objects without a namespace are, too.
   */
  readonly by?: 'uid' | 'namespace' | undefined;
}

/** One shard for `listWatch`; made by `shardOf`. */
export interface SourceShard extends Required<Shard> {
  /**
   * Finds the objects of the shard. It is part of the value, so programs without shards do not load it.
   *
   * @internal
   */
  readonly filter: ShardFilter;
  /** The query parameter by which a server is asked for this shard only. */
  readonly selector: string;
}

/**
 * Selects one of `count` shards for `listWatch`. Sources of all shards together deliver every object exactly once.
 *
 * @returns `undefined` if `count` is 1, which is no sharding at all
 * @throws InvalidOptionError for an index, a count or a `by` that makes no sense
 * @example
 * import { informer, pods, shardOf, type KubeClient } from 'rx-informers';
 *
 * declare const client: KubeClient;
 * informer(client, pods, { shard: shardOf({ index: 0, count: 3 }) });
 */
export function shardOf({ index, count, by = 'uid' }: Shard): SourceShard | undefined {
  if (!(Number.isSafeInteger(count) && count > 0)) {
    throw new InvalidOptionError('shard.count', count, 'a positive integer');
  }
  if (!(Number.isSafeInteger(index) && index >= 0 && index < count)) {
    throw new InvalidOptionError('shard.index', index, `an integer from 0 to ${count - 1}`);
  }
  if (!['uid', 'namespace'].includes(by)) throw new InvalidOptionError('shard.by', by, '"uid" or "namespace"');
  const shard = { index, count, by };
  return count === 1 ? undefined : { ...shard, filter: shardFilter(shard), selector: shardSelector(shard) };
}

/** Tells what is of one shard, as the API server would. */
export interface ShardFilter {
  /** An object without what is hashed counts as one with an empty text, there as here: all of them are of one shard. */
  readonly owns: (object: KubernetesObject) => boolean;
  /** Whether the JSON of an object is certainly another shard's; that is found out without parsing it. */
  readonly isForeignItem: (json: Uint8Array) => boolean;
  /** The same for a line of a watch, and then what is to be known of it; `undefined` where only parsing can tell. */
  readonly foreignChange: (line: Uint8Array) => ForeignChange | undefined;
}

export interface ForeignChange {
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
  const peekItem = stringPeek(['metadata'], [field]);
  const peekType = stringPeek([], ['type']);
  const peekLine = stringPeek(['object', 'metadata'], [field, 'resourceVersion']);
  const isForeign = (text: string | undefined): boolean => text !== undefined && !ownsText(text);
  return {
    owns: ({ metadata }) => {
      const value: unknown = metadata?.[field];
      return ownsText(typeof value === 'string' ? value : '');
    },
    isForeignItem: (json) => isForeign(peekItem(json)[field]),
    foreignChange: (line) => {
      const peeked = peekLine(line);
      if (!isForeign(peeked[field]) || !peeked.resourceVersion) return undefined;
      const { type } = peekType(line);
      return isChange(type) ? { change: type, resourceVersion: peeked.resourceVersion } : undefined;
    },
  };
}

function isChange(type: string | undefined): type is ForeignChange['change'] {
  return type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED';
}

/** The query parameter `shardSelector` by which an API server is asked for one shard only (KEP-5866, alpha in Kubernetes 1.36). */
export function shardSelector(shard: Shard): string {
  const { start, end } = shardRange(shard);
  return `shardRange(object.metadata.${shard.by ?? 'uid'}, '${hexadecimal(start)}', '${hexadecimal(end)}')`;
}

/** Sixteen digits, which the server insists on; for 2^64, the only one that needs more, seventeen. */
function hexadecimal({ high, low }: Hash64): string {
  return `0x${digits(high)}${digits(low)}`;
}

function digits(half: number): string {
  return half.toString(16).padStart(8, '0');
}

/** Hashes from `start` up to, but not with, `end`. */
export interface ShardRange {
  readonly start: Hash64;
  readonly end: Hash64;
}

const hashes = 1n << 64n;

/** One of `count` ranges that meet without a gap, and differ in length by 1 at most. */
export function shardRange({ index, count }: Shard): ShardRange {
  const bound = (number: number): Hash64 => halvesOf((BigInt(number) * hashes) / BigInt(count));
  return { start: bound(index), end: bound(index + 1) };
}

function halvesOf(number: bigint): Hash64 {
  return { high: Number(number >> 32n), low: Number(number & 0xffff_ffffn) };
}

/** A number of 64 bits in two halves, each a whole number of 32 bits; 2^64, the end of all hashes, has a `high` of 2^32. */
export interface Hash64 {
  readonly high: number;
  readonly low: number;
}

const offsetBasis: Hash64 = { high: 0xcbf2_9ce4, low: 0x8422_2325 };

/** The prime is 2^40 + this. */
const lowPrime = 0x1b3;

const utf8 = /*#__PURE__*/ new TextEncoder();

/**
 * The FNV-1a hash of a text's UTF-8 bytes: the same on every machine, and the one by which API servers shard (KEP-5866).
 *
 * In halves, because a BigInt for each byte would cost more than parsing the object; no product reaches 2^53, so none is rounded.
 */
export function fnv1a64(text: string): Hash64 {
  let { high, low } = offsetBasis;
  const mix = (byte: number): void => {
    const mixed = (low ^ byte) >>> 0;
    const product = mixed * lowPrime;
    low = product >>> 0;
    high = (high * lowPrime + (product - low) / 0x1_0000_0000 + ((mixed << 8) >>> 0)) >>> 0;
  };
  // Uids and namespaces are ASCII, where a character is its byte.
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
