/** The part of `Intl.Collator` that sorting needs. */
export interface StringCollator {
  compare(a: string, b: string): number;
}

/** Compares two different strings. Only the sign of the result counts. */
export type CompareStrings = (a: string, b: string) => number;

export function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Returns a function that compares like the collator, but several times faster if both strings are
 * plain up to their first difference.
 *
 * Names of Kubernetes objects are plain: lower-case ASCII letters, digits, `-` and `.`. In the
 * order of Unicode (CLDR root), plain strings are compared character by character, and plain
 * characters are ordered by their codes. The languages below do not change this order. With
 * `numeric`, a run of digits counts as one number, without its leading zeros. The first difference
 * between two characters or numbers decides. For all other strings and languages, and for objects
 * that are not an `Intl.Collator`, it calls the collator.
 */
export function collated(collator: StringCollator): CompareStrings {
  const compare = (a: string, b: string): number => collator.compare(a, b);
  if (!isKnown(collator)) return compare;
  const isNumeric = collator.resolvedOptions().numeric;
  return (a, b) => comparePlain(a, b, isNumeric) ?? compare(a, b);
}

/** These sort plain strings like CLDR root; `cs` (`ch`), `da` (`aa`) and `et` (`z`) do not. */
const rootOrdered: ReadonlySet<string> = new Set(['de', 'en', 'es', 'fr', 'it', 'ja', 'ko', 'nl', 'pt', 'ru', 'zh']);

/** In order. Each collator is tested with them, because runtimes have different data. */
const plainCharacters = '-.0123456789abcdefghijklmnopqrstuvwxyz';

function isKnown(collator: StringCollator): collator is Intl.Collator {
  if (!(collator instanceof Intl.Collator) || Object.getPrototypeOf(collator) !== Intl.Collator.prototype) return false;
  if (Object.hasOwn(collator, 'compare')) return false;
  const { locale, usage, collation, ignorePunctuation } = collator.resolvedOptions();
  const [language = ''] = locale.split('-');
  if (!rootOrdered.has(language) || usage !== 'sort' || collation !== 'default' || ignorePunctuation) return false;
  return Array.from(
    plainCharacters,
    (character, n) => n === 0 || collator.compare(plainCharacters.charAt(n - 1), character) < 0,
  ).every(Boolean);
}

/** The longest number that a collator compares as a whole. A collator splits longer numbers. */
const longest = 253;

/** Stands for the end of a string. It is less than any character. */
const end = -1;

/** Contains 1 for each plain character, at the index of its code. */
const plain = Uint8Array.from({ length: 128 }, (_, code) =>
  Number(plainCharacters.includes(String.fromCharCode(code))),
);

/** Returns `undefined` if a string is not plain in the part that must be read. */
function comparePlain(a: string, b: string, isNumeric: boolean): number | undefined {
  if (a.length > longest || b.length > longest) return undefined;
  let atA = 0;
  let atB = 0;
  for (;;) {
    // The number of digits directly before the difference. They belong to the number at the
    // difference.
    let digits = 0;
    let one = codeAt(a, atA);
    let other = codeAt(b, atB);
    while (one === other) {
      if (one === end) return 0;
      if (plain[one] !== 1) return undefined;
      digits = isDigit(one) ? digits + 1 : 0;
      one = codeAt(a, ++atA);
      other = codeAt(b, ++atB);
    }
    if (!isPlainAt(a, atA) || !isPlainAt(b, atB)) return undefined;
    const endA = isNumeric ? endOfNumber(a, atA) : atA;
    const endB = isNumeric ? endOfNumber(b, atB) : atB;
    // A character that is not plain may combine with the character before it, as an accent or as
    // another digit.
    if (!isPlainAt(a, Math.max(endA, atA + 1)) || !isPlainAt(b, Math.max(endB, atB + 1))) return undefined;
    const areNumbers = endA > atA - digits && endB > atB - digits && (endA > atA || endB > atB);
    if (!areNumbers) return one - other;
    const difference = compareNumbers(a, atA - digits, endA, b, atB - digits, endB);
    if (difference !== 0) return difference;
    atA = endA;
    atB = endB;
  }
}

function compareNumbers(a: string, fromA: number, endA: number, b: string, fromB: number, endB: number): number {
  const firstA = endOfZeros(a, fromA, endA);
  const firstB = endOfZeros(b, fromB, endB);
  const length = endA - firstA;
  if (length !== endB - firstB) return length - (endB - firstB);
  for (let at = 0; at < length; at++) {
    const difference = a.charCodeAt(firstA + at) - b.charCodeAt(firstB + at);
    if (difference !== 0) return difference;
  }
  return 0;
}

function codeAt(text: string, at: number): number {
  return at < text.length ? text.charCodeAt(at) : end;
}

/** Returns true for a plain character, and for any position from the end of the text on. */
function isPlainAt(text: string, at: number): boolean {
  return at >= text.length || plain[text.charCodeAt(at)] === 1;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function endOfNumber(text: string, from: number): number {
  let at = from;
  while (isDigit(codeAt(text, at))) at++;
  return at;
}

function endOfZeros(text: string, from: number, to: number): number {
  let at = from;
  while (at < to && text.charCodeAt(at) === 48) at++;
  return at;
}
