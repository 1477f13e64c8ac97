/**
 * A decimal without rounding errors: `units` × 10^-`scale`. A number enters as JavaScript prints
 * it, so 0.1 + 0.2 is 0.3 in any order.
 */
export interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

export const noDecimal: Decimal = Object.freeze({ units: 0n, scale: 0 });

/** For a decimal of up to 15 digits, JavaScript prints the nearest number as the same decimal. */
const maxDigits = 1e15;

/** Powers of ten up to 10^22 have an exact representation as a number. */
const maxExactPower = 22;

/** Digits of a quotient: more than enough to find the nearest number. */
const quotientDigits = 25;

/** Returns the decimal that JavaScript prints for a finite number or a bigint. */
export function decimalOf(value: number | bigint): Decimal {
  if (typeof value === 'bigint') return { units: value, scale: 0 };
  if (Number.isSafeInteger(value)) return { units: BigInt(value), scale: 0 };
  // A fast path for thousandths, which Kubernetes mostly writes: ten times faster than the text.
  const thousandths = Math.round(value * 1_000);
  if (thousandths / 1_000 === value && Math.abs(thousandths) < maxDigits) {
    return { units: BigInt(thousandths), scale: 3 };
  }
  const [mantissa = '', exponent = '0'] = String(value).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction);
  return scale < 0 ? { units: digits * power(-scale), scale: 0 } : { units: digits, scale };
}

export function plus(one: Decimal, other: Decimal): Decimal {
  const scale = Math.max(one.scale, other.scale);
  return { units: unitsAt(one, scale) + unitsAt(other, scale), scale };
}

export function minus(one: Decimal, other: Decimal): Decimal {
  const scale = Math.max(one.scale, other.scale);
  return { units: unitsAt(one, scale) - unitsAt(other, scale), scale };
}

/** True for the same units and scale: 1.0 and 1.00 are different. */
export function isSameDecimal(one: Decimal, other: Decimal): boolean {
  return one.units === other.units && one.scale === other.scale;
}

/** Returns the number that is nearest to a decimal. */
export function nearestNumber({ units, scale }: Decimal): number {
  const number = Number(units);
  if (scale === 0) return number;
  // Both operands are exact, so the division returns the nearest number.
  if (Number.isSafeInteger(number) && scale <= maxExactPower) return number / 10 ** scale;
  return Number(`${units}e-${scale}`);
}

/** Returns the number that is nearest to a decimal divided by a positive integer. */
export function nearestQuotient({ units, scale }: Decimal, divisor: number): number {
  const shift = Math.max(quotientDigits + String(divisor).length - String(units).length, 0);
  const dividend = units * power(shift);
  const quotient = dividend / BigInt(divisor);
  // A final 1 stands for cut-off digits, so that more than a middle is rounded up.
  const rest = dividend % BigInt(divisor) === 0n ? '' : '1';
  return Number(`${quotient}${rest}e-${scale + shift + rest.length}`);
}

function unitsAt({ units, scale }: Decimal, at: number): bigint {
  return scale === at ? units : units * power(at - scale);
}

function power(exponent: number): bigint {
  return 10n ** BigInt(exponent);
}
