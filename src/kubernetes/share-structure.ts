/**
 * Returns `next` with every subtree that equals the one in `previous` replaced by that one; `previous` itself if all is equal.
 *
 * Selectors and memoised views compare by identity: after this, `pod.spec` is the same object until the spec changes. What was
 * parsed just now can also be collected at once, which is most of what keeping 50,000 pods costs.
 *
 * **Guarantees**: the result is deeply equal to `next`. Neither `previous` nor `next` is written to: an object that holds a shared
 * subtree is a copy. Never throws.
 * **Does not guarantee**: that an object is shared that nests deeper than 256 levels, refers to itself, has more than a million
 * parts, or throws when it is read. Such an object is returned as it is.
 *
 * Only plain objects and arrays are compared; anything else is compared by identity. Arrays are compared position by position.
 */
export function shareStructure<T>(previous: T, next: T): T {
  return share(previous, next, false);
}

/**
 * Does the same as `shareStructure`, but writes to `next` where that would copy. For an item of a list that is most of its parts.
 *
 * Only for an object that the caller has parsed and not passed on: any other one may be in use elsewhere.
 */
export function shareStructureInPlace<T>(previous: T, next: T): T {
  return share(previous, next, true);
}

/**
 * Returns `next` with those fields, and those items of its arrays, replaced that equal the previous ones; `previous` itself if all
 * is equal. For rows that are computed from objects of a cache, which stand in them beside what is new.
 *
 * **Guarantees**: the result is deeply equal to `next`. A part that differs is taken as it is and never copied, so an object of a
 * cache in a row is the very object of the cache. Never throws.
 */
export function shareRow<T>(previous: T, next: T): T {
  if (previous === next || !isObject(previous) || !isObject(next)) return next;
  comparisonsLeft = mostComparisons;
  try {
    return shareParts(previous, next, false) as T;
  } catch {
    return next;
  }
}

type PlainObject = Record<string, unknown>;

/** Deeper than any API type, and a small part of the stack. */
const deepest = 256;

/** More than the API server stores in one object. Where parts refer to each other, the number of paths has no limit. */
const mostComparisons = 1_000_000;
let comparisonsLeft = mostComparisons;

/** V8 keeps strings this short once anyway when it parses JSON. */
const internedLength = 10;

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function share<T>(previous: T, next: T, inPlace: boolean): T {
  if (previous === next || !isObject(previous) || !isObject(next)) return next;
  comparisonsLeft = mostComparisons;
  try {
    return shareObject(previous, next, inPlace, 0) as T;
  } catch {
    return next;
  }
}

function shareObject(previous: object, next: object, inPlace: boolean, depth: number): object {
  if (depth > deepest || --comparisonsLeft < 0) throw new RangeError('not a tree of a reasonable size');
  if (Array.isArray(next)) return Array.isArray(previous) ? shareItems(previous, next, inPlace, depth) : next;
  if (Array.isArray(previous) || !arePlain(previous, next)) return next;
  return shareFields(previous as PlainObject, next as PlainObject, inPlace, depth);
}

function shareItems(
  previous: readonly unknown[],
  next: readonly unknown[],
  inPlace: boolean,
  depth: number,
): readonly unknown[] {
  const length = Math.min(previous.length, next.length);
  let target = inPlace ? (next as unknown[]) : undefined;
  let equal = previous.length === next.length;
  for (let position = 0; position < length; position++) {
    const value = next[position];
    const before = previous[position];
    if (value === before) {
      if (target !== undefined && isLongString(value)) target[position] = before;
      continue;
    }
    if (!isObject(value) || !isObject(before)) {
      equal = false;
      continue;
    }
    const shared = shareObject(before, value, inPlace, depth + 1);
    if (shared !== before) equal = false;
    if (shared === value) continue;
    target ??= [...next];
    target[position] = shared;
  }
  return equal ? previous : (target ?? next);
}

/** The loop runs for every field of every object: one look at the value decides, and inherited fields are asked about last. */
function shareFields(previous: PlainObject, next: PlainObject, inPlace: boolean, depth: number): PlainObject {
  let target = inPlace ? next : undefined;
  let equal = true;
  let count = 0;
  for (const name in next) {
    count++;
    const value = next[name];
    const before = previous[name];
    if (value === before) {
      if (isLongString(value)) {
        if (target !== undefined) target[name] = before;
      } else if (canBeInherited(value) && !Object.hasOwn(previous, name)) {
        equal = false;
      }
      continue;
    }
    if (!isObject(value) || !isObject(before) || (name === '__proto__' && !Object.hasOwn(previous, name))) {
      equal = false;
      continue;
    }
    const shared = shareObject(before, value, inPlace, depth + 1);
    if (shared !== before) equal = false;
    if (shared === value) continue;
    target ??= { ...next };
    target[name] = shared;
  }
  return equal && countFields(previous) === count ? previous : (target ?? next);
}

function shareParts(previous: object, next: object, isPart: boolean): object {
  if (Array.isArray(next)) return Array.isArray(previous) ? shareEqualItems(previous, next, isPart) : next;
  if (isPart || Array.isArray(previous) || !arePlain(previous, next)) return next;
  return shareEqualFields(previous as PlainObject, next as PlainObject);
}

function shareEqualItems(previous: readonly unknown[], next: readonly unknown[], isPart: boolean): readonly unknown[] {
  let target: unknown[] | undefined;
  let equal = previous.length === next.length;
  for (let position = 0; position < next.length; position++) {
    const value = next[position];
    const shared = position < previous.length ? sharePart(previous[position], value, isPart) : value;
    if (shared !== previous[position]) equal = false;
    if (shared === value) continue;
    target ??= [...next];
    target[position] = shared;
  }
  return equal ? previous : (target ?? next);
}

function shareEqualFields(previous: PlainObject, next: PlainObject): PlainObject {
  let target: PlainObject | undefined;
  let equal = countFields(previous) === countFields(next);
  for (const name in next) {
    const value = next[name];
    const hasField = Object.hasOwn(previous, name);
    const shared = hasField ? sharePart(previous[name], value, false) : value;
    if (!hasField || shared !== previous[name]) equal = false;
    if (shared === value || name === '__proto__') continue;
    target ??= { ...next };
    target[name] = shared;
  }
  return equal ? previous : (target ?? next);
}

function sharePart(previous: unknown, next: unknown, isItem: boolean): unknown {
  if (areEqual(previous, next, 0)) return previous;
  return !isItem && isObject(previous) && isObject(next) ? shareParts(previous, next, true) : next;
}

/** Stops at the first difference. */
function areEqual(one: unknown, other: unknown, depth: number): boolean {
  if (Object.is(one, other)) return true;
  if (!isObject(one) || !isObject(other)) return false;
  if (depth > deepest || --comparisonsLeft < 0) throw new RangeError('not a tree of a reasonable size');
  if (Array.isArray(one)) {
    if (!Array.isArray(other) || one.length !== other.length) return false;
    return one.every((item, position) => areEqual(item, (other as readonly unknown[])[position], depth + 1));
  }
  if (Array.isArray(other) || !arePlain(one, other)) return false;
  let count = 0;
  for (const name in other) {
    count++;
    if (!Object.hasOwn(one, name)) return false;
    if (!areEqual((one as PlainObject)[name], (other as PlainObject)[name], depth + 1)) return false;
  }
  return countFields(one as PlainObject) === count;
}

function isLongString(value: unknown): boolean {
  return typeof value === 'string' && value.length > internedLength;
}

/** What an object gives for a field that it does not have: nothing, a method of `Object.prototype`, or its prototype. */
function canBeInherited(value: unknown): boolean {
  return value === undefined || typeof value === 'function' || typeof value === 'object';
}

/** As `Object.keys(object).length`, without making the array. */
function countFields(object: PlainObject): number {
  let count = 0;
  for (const _ in object) count++;
  return count;
}

function arePlain(first: object, second: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(first);
  if (prototype === Object.prototype && prototype === Object.getPrototypeOf(second)) return true;
  return isPlainObject(first) && isPlainObject(second);
}

/** True also for an object of another realm (a frame, `structuredClone` in a test runner), whose prototype is another `Object.prototype`. */
export function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null;
}
