import { isObservable } from 'rxjs';

/** Describes a value for an error message: `a promise`, `an object`, `undefined`. */
export function whatIs(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (Array.isArray(value)) return 'an array';
  if (typeof (value as { readonly then?: unknown }).then === 'function') return 'a promise';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Throws a `TypeError` with the expected type: for callers in JavaScript. */
export function checkOption(isValid: boolean, name: string, expected: string, value: unknown): void {
  if (!isValid) throw new TypeError(`${name} must be ${expected}, not ${whatIs(value)}`);
}

export function checkFunction(name: string, value: unknown, what: string): void {
  checkOption(typeof value === 'function', name, `a function${what}`, value);
}

/** Throws a `TypeError` for anything but an array, or `undefined`. */
export function checkArray(name: string, value: unknown, what: string): void {
  checkOption(value === undefined || Array.isArray(value), name, `an array${what}`, value);
}

/** Throws a `TypeError` for anything but an Observable, or `undefined`. */
export function checkObservable(name: string, value: unknown): void {
  if (value === undefined || isObservable(value)) return;
  throw new TypeError(`${name} must be an Observable, not ${whatIs(value)}; use from(…) of rxjs`);
}

/** Throws a `RangeError` for anything but a whole number of at least `least`, or `Infinity`. */
export function checkCount(name: string, value: unknown, least: number): void {
  if (value === Infinity || (Number.isInteger(value) && (value as number) >= least)) return;
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  throw new RangeError(`${name} must be a whole number of at least ${least}, or Infinity, not ${text}`);
}
