import fc from 'fast-check';
import { byCodeUnits, collated } from '../../../src/views/window/collation.js';

const languages = [
  'de',
  'en',
  'en-US',
  'es',
  'fr',
  'it',
  'ja',
  'ko',
  'nl',
  'pt-BR',
  'ru',
  'zh',
  'cs',
  'da',
  'et',
  'th',
];

const options: readonly Intl.CollatorOptions[] = [
  { numeric: true },
  { numeric: false },
  { numeric: true, sensitivity: 'base' },
  { numeric: true, caseFirst: 'upper' },
  { numeric: true, ignorePunctuation: true },
  { numeric: true, usage: 'search' },
];

/** Texts of which many are nearly the same: numbers with zeros before them, and parts that meet. */
const part = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('-', '.', '0', '00', '1', '2', '10', '9', '99', 'a', 'b', 'z', 'ch', 'aa') },
  { weight: 3, arbitrary: fc.string({ unit: fc.constantFrom(...Array.from('-.0123456789abcxyz')), maxLength: 4 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'A',
      'é',
      'e\u0301',
      '_',
      ' ',
      '/',
      '\u0000',
      'ß',
      '𝒳',
      '١',
      '٢',
      '\u00ad',
      'l\u00b7',
      '\u0301',
      '\u0307',
      'ﬁ',
      '５',
      '²',
    ),
  },
);

const text = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(''));

describe('collated', () => {
  it.each(languages)('compares any two texts like the collator of %s', (language) => {
    fc.assert(
      fc.property(fc.constantFrom(...options), text, text, text, (option, start, a, b) => {
        const collator = new Intl.Collator(language, option);
        const compare = collated(collator);
        for (const [one, other] of [
          [a, b],
          [start + a, start + b],
          [a + start, b + start],
        ] as const) {
          expect(Math.sign(compare(one, other))).toBe(Math.sign(collator.compare(one, other)));
        }
      }),
      { numRuns: 150 },
    );
  });

  it('compares numbers of any length like the collator, also those that the collator splits', () => {
    const collator = new Intl.Collator('en', { numeric: true });
    const lengths = [1, 2, 250, 251, 252, 253, 254, 255, 256, 300];
    const numbers = lengths.flatMap((length) => [
      '1'.padEnd(length, '0'),
      '9'.repeat(length),
      '1'.padStart(length, '0'),
    ]);
    for (const a of numbers) {
      for (const b of numbers) {
        expect(Math.sign(collated(collator)(a, b))).toBe(Math.sign(collator.compare(a, b)));
      }
    }
  });

  it('does not call the collator for names of Kubernetes objects, and calls it for other texts', () => {
    let calls = 0;
    const compare = collated(
      new Proxy(new Intl.Collator('en', { numeric: true }), {
        get: (collator, name) => {
          if (name === 'compare') calls++;
          const value: unknown = Reflect.get(collator, name, collator);
          return name === 'resolvedOptions' ? () => collator.resolvedOptions() : value;
        },
      }),
    );
    calls = 0;
    expect(compare('web-2.a', 'web-10.a')).toBeLessThan(0);
    expect(calls).toBe(0);
    expect(compare('wéb-2', 'web-10')).not.toBe(0);
    expect(calls).toBe(1);
  });

  it.each<[string, () => { compare: (a: string, b: string) => number }]>([
    ['an object that is not an Intl.Collator', () => ({ compare: (a, b) => -byCodeUnits(a, b) })],
    [
      'a subclass of Intl.Collator',
      () =>
        new (class extends Intl.Collator {
          override compare = (a: string, b: string): number => -byCodeUnits(a, b);
        })('en'),
    ],
    [
      'a collator whose compare was replaced',
      () =>
        Object.defineProperty(new Intl.Collator('en'), 'compare', {
          value: (a: string, b: string) => -byCodeUnits(a, b),
        }),
    ],
  ])('calls the compare of %s', (_, collator) => {
    expect(collated(collator())('a', 'b')).toBeGreaterThan(0);
  });
});
