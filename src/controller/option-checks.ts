import { isObservable } from 'rxjs';
import { invalidOptionError } from '../kubernetes/errors.js';

/** Throws `RXI_INVALID_OPTION` with the expected type: for callers in JavaScript. */
export function checkOption(isValid: boolean, name: string, expected: string, value: unknown): void {
  if (!isValid) throw invalidOptionError(name, value, expected);
}

export function checkFunction(name: string, value: unknown, what: string): void {
  checkOption(typeof value === 'function', name, `a function${what}`, value);
}

/** Throws `RXI_INVALID_OPTION` for anything but an array, or `undefined`. */
export function checkArray(name: string, value: unknown, what: string): void {
  checkOption(value === undefined || Array.isArray(value), name, `an array${what}`, value);
}

/** Throws `RXI_INVALID_OPTION` for anything but an Observable, or `undefined`. */
export function checkObservable(name: string, value: unknown): void {
  checkOption(value === undefined || isObservable(value), name, 'an Observable, such as from(…) of rxjs', value);
}

/** Throws for anything but a whole number of at least `least`, or `Infinity`. */
export function checkCount(name: string, value: unknown, least: number): void {
  const isCount = value === Infinity || (Number.isInteger(value) && (value as number) >= least);
  checkOption(isCount, name, `a whole number of at least ${least}, or Infinity`, value);
}
