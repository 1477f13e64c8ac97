import type { KubernetesObject } from '../../kubernetes/object.js';
import { shareStructureInPlace } from '../../kubernetes/share-structure.js';
import type { KnownObjects } from '../model/source.js';
import type { Digest, ScannedText, TextKind } from '../wire/scanner.js';

/* Decides which parts of a text are not parsed, because the subscriber already holds them. */

/** Says which part of the text of one object is parsed. */
export type Plan<T> =
  /** Nothing is parsed: the subscriber holds `object`, which has the content of the text. */
  | { readonly type: 'held'; readonly object: T }
  /**
   * Everything except `spec` is parsed; `spec` is taken from `previous`. With a `resourceVersion`,
   * `metadata` is not parsed either: it is that of `previous`, with this version.
   */
  | {
      readonly type: 'spec-held';
      readonly previous: T & { readonly spec: object };
      readonly resourceVersion: string | undefined;
    }
  /** Everything is parsed. `previous` is the held version of the object, if there is one. */
  | { readonly type: 'new'; readonly previous: T | undefined };

const isNew: Plan<never> = { type: 'new', previous: undefined };

/**
 * Returns which part of a text is parsed. Pure.
 *
 * | held under the key of the text | parsed |
 * | --- | --- |
 * | an object with the same uid that was parsed from bytes with the same digest, and the text is an
 * item or an ADDED line of a list | nothing |
 * | an object with the same uid, whose `spec` was parsed from bytes with the same digest |
 * everything but `spec` |
 * | the same, and its `metadata` was parsed from bytes that differ only in `resourceVersion` and
 * `managedFields` | everything but `spec` and `metadata` |
 * | an object with the same uid, in all other cases | everything |
 * | an object with another uid or without a uid, or no object | everything |
 * | any object, and the text is irregular, or is neither an item nor ADDED nor MODIFIED |
 * everything |
 *
 * Equal digests mean equal bytes, because a hash has 128 bits, or 64 for `metadata`, and its key is
 * secret to this process. An equal resourceVersion does not mean equal bytes: the server applies
 * defaults, pruning and conversion when it reads an object.
 *
 * @param isListed true if the text is an item, or a line of a streaming list
 */
export function planFor<T>(text: ScannedText, { objects, digests }: KnownTexts<T>, isListed: boolean): Plan<T> {
  if (objects.size === 0 || !text.isUpsert) return isNew;
  const previous = knownVersion(text, objects);
  if (previous === undefined) return isNew;
  const digest = digests.get(previous as object) ?? '';
  if (isListed && text.hasDigest(digest)) return { type: 'held', object: previous };
  const { spec } = previous as { readonly spec?: unknown };
  if (typeof spec !== 'object' || spec === null || !text.hasSpecDigest(digest)) return { type: 'new', previous };
  const resourceVersion = text.hasMetadataDigest(digest) ? text.field('resourceVersion') : undefined;
  return { type: 'spec-held', previous: previous as T & { readonly spec: object }, resourceVersion };
}

/** Returns the held object of the same uid; the name alone may be another object's. */
function knownVersion<T>(text: ScannedText, objects: KnownObjects<T>): T | undefined {
  const name = text.field('name');
  if (name === undefined) return undefined;
  const namespace = text.field('namespace') ?? '';
  const known = objects.get(namespace === '' ? name : `${namespace}/${name}`);
  const uid: unknown = (known as KubernetesObject | undefined)?.metadata?.uid;
  return typeof uid === 'string' && uid !== '' && text.hasFieldValue('uid', uid) ? known : undefined;
}

/** The objects that the subscriber holds, and the digests of their texts. */
export interface KnownTexts<T> {
  readonly objects: KnownObjects<T>;
  /**
   * The digest of the text of each parsed object. An object from another origin has no digest, and
   * a digest is garbage-collected with its object.
   */
  readonly digests: WeakMap<object, Digest>;
}

/** The result of reading the text of one object. */
export type ReadText<T> = KnownObject<T> | ParsedText<T>;

/** Nothing was parsed. The object is in use or frozen, so it must not be changed. */
interface KnownObject<T> {
  readonly type: 'held';
  readonly object: T;
}

export interface ParsedText<T> {
  readonly type: 'parsed';
  readonly value: unknown;
  /** The held version. `value` may contain its `spec`, and parts of its `metadata`. */
  readonly previous: T | undefined;
  /** The digest of the text, if it should be stored. */
  readonly digest: Digest | undefined;
}

/** The parts of a parsed object that may be taken from the held version. */
interface ReusedParts {
  spec: unknown;
  metadata: unknown;
}

/** Reads the texts of one response. */
export interface ObjectReader<T> {
  /**
   * Parses the parts of a text that are not held. The other parts are not checked.
   *
   * @throws `RXI_WIRE` for text that is not UTF-8 or not JSON
   */
  read(text: ScannedText, kind: TextKind): ReadText<T>;
  /**
   * Makes the parsed `own` share equal parts with its known version, or, if there is none, with the
   * previous object of the list. Only `own` is changed.
   */
  finish(parsed: ParsedText<T>, own: T): T;
  /** Returns a held object. The next object of the list may share parts with it. */
  pass(known: KnownObject<T>): T;
  /** Ends the list. Later objects do not share parts with the objects before them. */
  endList(): void;
}

/**
 * Creates a reader for one response. Without `knownTexts`, everything is parsed.
 *
 * @param share returns `own`, perhaps changed, with equal parts of `previous`, the object before it
 */
export function objectReader<T>(
  knownTexts: KnownTexts<T> | undefined,
  share: (previous: T, own: T) => T,
  { isList }: { readonly isList: boolean },
): ObjectReader<T> {
  let isListing = isList;
  let previousItem: T | undefined;

  return {
    read(text, kind) {
      if (knownTexts === undefined) {
        return { type: 'parsed', value: text.parse(), previous: undefined, digest: undefined };
      }
      const isListed = kind === 'item' || (isListing && isAddition(text));
      const plan = planFor(text, knownTexts, isListed);
      if (plan.type === 'held') return plan;
      const { previous } = plan;
      if (plan.type === 'new') {
        const digest = text.isUpsert ? text.digest(isListed) : undefined;
        return { type: 'parsed', value: text.parse(), previous, digest };
      }
      const { resourceVersion } = plan;
      const value = text.parseWithoutSpec(resourceVersion !== undefined);
      const object = (kind === 'item' ? value : (value as { readonly object: unknown }).object) as ReusedParts;
      object.spec = plan.previous.spec;
      if (resourceVersion !== undefined) {
        object.metadata = { ...(plan.previous as KubernetesObject).metadata, resourceVersion };
      }
      return { type: 'parsed', value, previous, digest: text.digest(isListed) };
    },
    finish({ previous, digest }, own) {
      // The object shares parts with the held version or with its neighbour, never with both: parts
      // that are shared with the held version must not be changed.
      const object =
        previous !== undefined
          ? shareStructureInPlace(previous, own)
          : previousItem !== undefined
            ? share(previousItem, own)
            : own;
      if (digest !== undefined) knownTexts?.digests.set(object as object, digest);
      if (isListing) previousItem = object;
      return object;
    },
    pass({ object }) {
      if (isListing) previousItem = object;
      return object;
    },
    endList() {
      isListing = false;
      previousItem = undefined;
    },
  };
}

const addition = '{"type":"ADDED",';

/** Returns true for an ADDED line in the form that API servers write. */
function isAddition({ bytes }: ScannedText): boolean {
  for (let at = 0; at < addition.length; at++) if (bytes[at] !== addition.charCodeAt(at)) return false;
  return true;
}
