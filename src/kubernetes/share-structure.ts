import { isPlainObject } from './plain-object.js';

/**
 * Gives `next` with every subtree that equals the one in `previous` replaced by that one; `previous` itself where all is equal.
 *
 * Selectors and memoised views compare by identity: after this, `pod.spec` is the same object until the spec changes. It also lets
 * the collector drop what was just parsed instead of promoting it, which is most of what keeping 50,000 pods costs. Equal strings
 * become one as well, which nobody sees but the heap.
 *
 * **Guarantees**: the result is deeply equal to `next`; `previous` is never written to.
 * **Does not guarantee**: that `next` is left as it was. Subtrees are replaced in place, by equal ones, unless `next` is frozen;
 * a copy of every object on the way would cost as much as it saves.
 *
 * Only plain objects and arrays are compared; anything else is compared by identity. Arrays are compared position by position.
 */
export function shareStructure<T>(previous: T, next: T): T {
  if (previous === next || !isObject(previous) || !isObject(next)) return next;
  return shareObject(previous, next) as T;
}

type PlainObject = Record<string, unknown>;

/** V8 keeps strings this short once anyway when it parses JSON. */
const internedLength = 10;

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function shareObject(previous: object, next: object): object {
  if (Array.isArray(next)) return Array.isArray(previous) ? shareItems(previous, next) : next;
  if (Array.isArray(previous) || !arePlain(previous, next)) return next;
  return shareFields(previous as PlainObject, next as PlainObject);
}

function shareItems(previous: readonly unknown[], next: readonly unknown[]): readonly unknown[] {
  const length = Math.min(previous.length, next.length);
  let target: unknown[] | undefined;
  let equal = previous.length === next.length;
  for (let position = 0; position < length; position++) {
    const value = next[position];
    const before = previous[position];
    if (value === before) {
      if (!isLongString(value)) continue;
      if (target === undefined && !Object.isFrozen(next)) target = next as unknown[];
      if (target !== undefined) target[position] = before;
      continue;
    }
    if (!isObject(value) || !isObject(before)) {
      equal = false;
      continue;
    }
    const shared = shareObject(before, value);
    if (shared !== before) equal = false;
    if (shared === value) continue;
    target ??= Object.isFrozen(next) ? [...next] : (next as unknown[]);
    target[position] = shared;
  }
  return equal ? previous : (target ?? next);
}

/** The loop runs for every field of every object: one look at the value decides, and inherited fields are asked about last. */
function shareFields(previous: PlainObject, next: PlainObject): PlainObject {
  let target: PlainObject | undefined;
  let equal = true;
  let count = 0;
  for (const name in next) {
    count++;
    const value = next[name];
    const before = previous[name];
    if (value === before) {
      if (isLongString(value)) {
        if (target === undefined && !Object.isFrozen(next)) target = next;
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
    const shared = shareObject(before, value);
    if (shared !== before) equal = false;
    if (shared === value) continue;
    target ??= Object.isFrozen(next) ? { ...next } : next;
    target[name] = shared;
  }
  return equal && countFields(previous) === count ? previous : (target ?? next);
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
