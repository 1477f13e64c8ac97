/** Options as they are compared: by name. */
export type Options = Readonly<Record<string, unknown>>;

/**
 * Whether options say the same: lists and plain objects where all that is in them does, everything else (functions, Observables, instances of
 * classes) by identity.
 */
export function areSameOptions(a: Options, b: Options): boolean {
  return differences(a, b, Object.is).length === 0;
}

/**
 * The names of the options in which two that differ look the same to whoever wrote them: they are functions with the same text. Empty where
 * anything else differs too.
 */
export function onlyFunctionsMadeAnew(a: Options, b: Options): readonly string[] {
  const hasOtherDifference = differences(a, b, isSameText).length > 0;
  return hasOtherDifference ? [] : differences(a, b, Object.is);
}

type Compare = (a: unknown, b: unknown) => boolean;

function differences(a: Options, b: Options, compare: Compare): readonly string[] {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].filter((name) => !isSame(a[name], b[name], compare));
}

function isSame(a: unknown, b: unknown, compare: Compare): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, position) => isSame(item, b[position], compare));
  }
  if (isPlainObject(a) && isPlainObject(b)) return differences(a, b, compare).length === 0;
  return compare(a, b);
}

function isPlainObject(value: unknown): value is Options {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** True for functions with the same source text. They may still differ in what they close over. */
export function isSameText(a: unknown, b: unknown): boolean {
  return Object.is(a, b) || (typeof a === 'function' && typeof b === 'function' && String(a) === String(b));
}
