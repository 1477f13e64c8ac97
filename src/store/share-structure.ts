/**
 * Gives `next` with every subtree that equals the one in `previous` replaced by that one; `previous` itself where all is equal.
 *
 * Selectors and memoised views compare by identity: after this, `pod.spec` is the same object until the spec changes. It also lets
 * the collector drop what was just parsed instead of promoting it, which is most of what keeping 50,000 pods costs.
 *
 * **Guarantees**: the result is deeply equal to `next`; `previous` is never written to.
 * **Does not guarantee**: that `next` is left as it was. Subtrees are replaced in place, by equal ones, unless `next` is frozen;
 * a copy of every object on the way would cost as much as it saves.
 *
 * Only plain objects and arrays are compared; anything else is compared by identity. Arrays are compared position by position.
 */
export function shareStructure<T>(previous: T, next: T): T {
  return share(previous, next) as T;
}

function share(previous: unknown, next: unknown): unknown {
  if (previous === next) return previous;
  if (typeof previous !== 'object' || typeof next !== 'object' || previous === null || next === null) return next;
  if (Array.isArray(next)) return Array.isArray(previous) ? shareArray(previous, next) : next;
  if (Array.isArray(previous) || !isPlain(previous) || !isPlain(next)) return next;
  return shareObject(previous, next);
}

function shareArray(previous: readonly unknown[], next: readonly unknown[]): readonly unknown[] {
  let target: unknown[] | undefined;
  let equal = previous.length === next.length;
  const length = Math.min(previous.length, next.length);
  for (let position = 0; position < length; position++) {
    const item = next[position];
    const shared = share(previous[position], item);
    if (shared !== previous[position]) equal = false;
    if (shared === item) continue;
    target ??= writable(next) as unknown[];
    target[position] = shared;
  }
  return equal ? previous : (target ?? next);
}

type PlainObject = Record<string, unknown>;

/** Stands for a field that is not there: inherited ones do not count, JSON may well hold a field named `__proto__`. */
const ABSENT = Symbol('absent');

function shareObject(previous: PlainObject, next: PlainObject): PlainObject {
  let target: PlainObject | undefined;
  let equal = true;
  let count = 0;
  for (const name in next) {
    count++;
    const value = next[name];
    const before = Object.hasOwn(previous, name) ? previous[name] : ABSENT;
    const shared = share(before, value);
    if (shared !== before) equal = false;
    if (shared === value) continue;
    target ??= writable(next) as PlainObject;
    target[name] = shared;
  }
  if (equal && Object.keys(previous).length === count) return previous;
  return target ?? next;
}

/** True also for an object of another realm (a frame, `structuredClone` in a test runner), whose prototype is another `Object.prototype`. */
function isPlain(value: object): value is PlainObject {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null;
}

function writable(value: object): object {
  if (!Object.isFrozen(value)) return value;
  return Array.isArray(value) ? [...(value as readonly unknown[])] : { ...value };
}
