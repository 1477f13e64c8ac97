/**
 * A sum of numbers, kept exactly: `units` × 10^-`scale`.
 *
 * A number is added as the decimal that it prints as, so 0.1 + 0.2 is 0.3, and a sum does not depend
 * on the order in which its terms came and went.
 */
export interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

export const noDecimal: Decimal = Object.freeze({ units: 0n, scale: 0 });

/** The longest decimals that each are the shortest text of another number. */
const mostDigits = 1e15;

/** Powers of ten up to this one are exact numbers. */
const mostExactPower = 22;

/** Digits of a quotient: more than enough to find the nearest number. */
const quotientDigits = 25;

/** Returns the decimal that a finite number, or a bigint, prints as. */
export function decimalOf(value: number | bigint): Decimal {
  if (typeof value === 'bigint') return { units: value, scale: 0 };
  if (Number.isSafeInteger(value)) return { units: BigInt(value), scale: 0 };
  // Thousandths are what Kubernetes writes; reading the text takes ten times as long.
  const thousandths = Math.round(value * 1_000);
  if (thousandths / 1_000 === value && Math.abs(thousandths) < mostDigits) {
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

/** Returns true if two decimals are the same number, written in the same way. */
export function isSameDecimal(one: Decimal, other: Decimal): boolean {
  return one.units === other.units && one.scale === other.scale;
}

/** Returns the number that is nearest to a decimal. */
export function nearestNumber({ units, scale }: Decimal): number {
  const number = Number(units);
  if (scale === 0) return number;
  // Both are exact, and a division rounds correctly.
  if (Number.isSafeInteger(number) && scale <= mostExactPower) return number / 10 ** scale;
  return Number(`${units}e-${scale}`);
}

/** Returns the number that is nearest to a decimal divided by a positive integer. */
export function nearestQuotient({ units, scale }: Decimal, divisor: number): number {
  const shift = Math.max(quotientDigits + String(divisor).length - String(units).length, 0);
  const dividend = units * power(shift);
  const quotient = dividend / BigInt(divisor);
  // What is cut off says on which side of the middle of two numbers the quotient lies.
  const rest = dividend % BigInt(divisor) === 0n ? '' : '1';
  return Number(`${quotient}${rest}e-${scale + shift + rest.length}`);
}

function unitsAt({ units, scale }: Decimal, at: number): bigint {
  return scale === at ? units : units * power(at - scale);
}

function power(exponent: number): bigint {
  return 10n ** BigInt(exponent);
}
