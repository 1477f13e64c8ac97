import { RxInformersError } from '../kubernetes/errors.js';
import { decimalOf } from './core/decimal.js';

/**
 * A text is not a quantity as Kubernetes writes it.
 *
 * **What to do**: Correct the text; `docs` of Kubernetes call the form
 * [Quantity](https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/). If it
 * comes from an object that the API server has accepted, the field is not a quantity.
 */
export class InvalidQuantityError extends RxInformersError {
  static override readonly code = 'RXI_INVALID_QUANTITY';
  override readonly name = 'InvalidQuantityError';
  constructor(readonly text: unknown) {
    super(`${JSON.stringify(text)} is not a quantity: write 500m, 1.5Gi, 1e3 or 2`);
  }
}

/** The sign, the digits before and after the point, and a suffix or an exponent. At least one digit. */
const form = /^([+-]?)(?=\.?\d)(\d*)(?:\.(\d*))?(?:([KMGTPE])i|([numkMGTPE])|[eE]([+-]?\d+))?$/;

/** By powers of 1,024. */
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
/** By powers of 1,000, from 10^-9 on. */
const decimalSuffixes = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];

/** Kubernetes keeps nothing smaller. */
const nano = 9;

/** A binary quantity is less; Kubernetes reads a larger one as 2^63 - 1. */
const mostBinary = 2n ** 63n;

/**
 * Returns the value of a Kubernetes quantity, such as `500m`, `1.5Gi`, `1e3` or `2`, read as the API
 * server reads it.
 *
 * The result is the number nearest to the value. A decimal of up to 15 digits is the number that
 * prints as it, and `sum` adds numbers as what they print as, so a `sum` of such quantities is exact.
 * Bytes are exact up to 8 Pi.
 *
 * | text | value |
 * | --- | --- |
 * | `100`, `+100`, `1e2`, `1E2` | 100 |
 * | `500m`, `.5` | 0.5 |
 * | `12E` | 12 × 10^18 |
 * | `1.5Gi` | 1,610,612,736 |
 * | `0.1n` | 0.000000001: a value smaller than `1n`, or between two of them, is rounded away from zero |
 * | `9Ei` | 2^63 - 1, the largest with a binary suffix, rounded to the nearest number |
 *
 * @param text a quantity; a number is one too, in objects that were written so
 * @throws `InvalidQuantityError` for anything else, and for a value beyond the largest number
 * @example
 * const namespaces = derived.groupBy(podInformer, (pod) => pod.metadata.namespace, {
 *   memory: derived.sum((pod) =>
 *     pod.spec?.containers.map(({ resources }) => derived.quantity(resources?.requests?.['memory'] ?? 0)),
 *   ),
 * });
 */
export function quantity(text: string | number): number {
  const [, sign = '', whole = '', fraction = '', binary, decimal = '', exponent] =
    form.exec(String(text)) ?? invalid(text);
  const digits = whole + fraction;
  const power = exponent === undefined ? 3 * decimalSuffixes.indexOf(decimal) - nano : Number(exponent);
  const value =
    binary === undefined
      ? decimalQuantity(digits, power - fraction.length)
      : binaryQuantity(digits, fraction.length, 10 * binarySuffixes.indexOf(`${binary}i`));
  if (!Number.isFinite(value)) invalid(text);
  return sign === '-' && value !== 0 ? -value : value;
}

/** Options of `formatQuantity`. */
export interface FormatQuantityOptions {
  /** `decimal` (default): `m`, `k`, `M`, `G`. `binary`: `Ki`, `Mi`, `Gi`, for whole numbers from 1,024 on, below 2^63. */
  readonly suffixes?: 'decimal' | 'binary' | undefined;
}

/**
 * Returns a number as a quantity in Kubernetes' canonical form: a whole number with the largest
 * suffix that loses nothing. So 1.5 is `1500m`, and 1.5 Gi in binary suffixes is `1536Mi`.
 *
 * @param value a finite number; fractions below `1n` are rounded away from zero
 * @throws `InvalidQuantityError` for `NaN` and infinity
 * @example
 * derived.formatQuantity(derived.quantity('1024Mi'), { suffixes: 'binary' }); // 1Gi
 */
export function formatQuantity(value: number, { suffixes = 'decimal' }: FormatQuantityOptions = {}): string {
  if (!Number.isFinite(value)) invalid(value);
  if (value === 0) return '0';
  const sign = value < 0 ? '-' : '';
  const size = Math.abs(value);
  if (suffixes === 'binary' && size >= 1024 && size < mostBinary && Number.isInteger(size)) {
    const [whole, power] = shortened(BigInt(size), 1024n, binarySuffixes.length - 1);
    return `${sign}${whole}${binarySuffixes[power] ?? ''}`;
  }
  const { units, scale } = decimalOf(size);
  const [whole, power] = shortened(roundedUp(units, nano - scale), 1000n, Infinity);
  return `${sign}${whole}${decimalSuffixes[power] ?? `e${3 * power - nano}`}`;
}

function decimalQuantity(digits: string, exponent: number): number {
  if (exponent >= -nano) return Number(`${digits}e${exponent}`);
  const units = BigInt(digits);
  // Nothing that could be kept is left of a number with so small an exponent.
  const places = Math.max(exponent + nano, -digits.length);
  return Number(`${roundedUp(units, places)}e-${nano}`);
}

function binaryQuantity(digits: string, places: number, power: number): number {
  const units = BigInt(digits) << BigInt(power);
  const nanos = roundedUp(units, nano - places);
  const largest = (mostBinary - 1n) * 10n ** BigInt(nano);
  return Number(`${nanos < largest ? nanos : largest}e-${nano}`);
}

/** Returns `units` × 10^`places`, rounded up to an integer. */
function roundedUp(units: bigint, places: number): bigint {
  if (places >= 0) return units * 10n ** BigInt(places);
  const divisor = 10n ** BigInt(-places);
  return (units + divisor - 1n) / divisor;
}

/** Divides by `base` as often as nothing is lost, at most `most` times. */
function shortened(units: bigint, base: bigint, most: number): readonly [bigint, number] {
  let left = units;
  let power = 0;
  while (power < most && left % base === 0n) {
    left /= base;
    power++;
  }
  return [left, power];
}

function invalid(text: unknown): never {
  throw new InvalidQuantityError(text);
}
