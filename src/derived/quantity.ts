import { RxInformersError } from '../kubernetes/errors.js';

function invalidQuantityError(text: unknown): RxInformersError<'RXI_INVALID_QUANTITY'> {
  const message = `${JSON.stringify(text)} is not a quantity; use a form such as 500m, 1.5Gi, 1e3 or 2`;
  return new RxInformersError('RXI_INVALID_QUANTITY', message, { text });
}

/** Sign, digits before and after the point (at least one), and suffix or exponent. */
const form = /^([+-]?)(?=\.?\d)(\d*)(?:\.(\d*))?(?:([KMGTPE])i|([numkMGTPE])|[eE]([+-]?\d+))?$/;

/** The suffixes for powers of 1,024. */
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
/** The suffixes for powers of 1,000, from 10^-9 on. */
const decimalSuffixes = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];

/** Kubernetes keeps nine decimal places: the smallest unit is 10^-9. */
const nano = 9;

/** Quantities with a binary suffix are less than this. Kubernetes reads larger ones as 2^63 - 1. */
const maxBinary = 2n ** 63n;

/**
 * Parses a Kubernetes quantity, such as `500m`, `1.5Gi`, `1e3` or `2`, as the API server does, and
 * returns its value.
 *
 * The result is the number nearest to the value. For a decimal of up to 15 digits, JavaScript
 * prints this number as the same decimal. `sum` adds printed decimals, so a `sum` of such
 * quantities is exact. Bytes are exact up to 8 Pi.
 *
 * | text | value |
 * | --- | --- |
 * | `100`, `+100`, `1e2`, `1E2` | 100 |
 * | `500m`, `.5` | 0.5 |
 * | `12E` | 12 × 10^18 |
 * | `1.5Gi` | 1,610,612,736 |
 * | `0.1n` | 0.000000001: a value that is not a multiple of `1n` is rounded away from zero |
 * | `9Ei` | 2^63 - 1, the largest quantity with a binary suffix, rounded to the nearest number |
 *
 * @param text a quantity; numbers are accepted too, because some objects contain them
 * @returns the value in its base unit, such as cores or bytes
 * @throws `RXI_INVALID_QUANTITY` for anything else, and for a value beyond the largest number
 * @example
 * const namespaces = derived.groupBy(podInformer, (pod) => pod.metadata.namespace, {
 *   memory: derived.sum((pod) =>
 *     pod.spec?.containers.map(({ resources }) =>
 *       derived.quantity(resources?.requests?.['memory'] ?? 0),
 *     ),
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

function decimalQuantity(digits: string, exponent: number): number {
  if (exponent >= -nano) return Number(`${digits}e${exponent}`);
  const units = BigInt(digits);
  // Limits the power of ten. With a smaller exponent, all digits are below 10^-9, and the result is
  // the same.
  const places = Math.max(exponent + nano, -digits.length);
  return Number(`${roundedUp(units, places)}e-${nano}`);
}

function binaryQuantity(digits: string, places: number, power: number): number {
  const units = BigInt(digits) << BigInt(power);
  const nanos = roundedUp(units, nano - places);
  const largest = (maxBinary - 1n) * 10n ** BigInt(nano);
  return Number(`${nanos < largest ? nanos : largest}e-${nano}`);
}

/** Returns `units` × 10^`places`, rounded up to an integer. */
function roundedUp(units: bigint, places: number): bigint {
  if (places >= 0) return units * 10n ** BigInt(places);
  const divisor = 10n ** BigInt(-places);
  return (units + divisor - 1n) / divisor;
}

function invalid(text: unknown): never {
  throw invalidQuantityError(text);
}
