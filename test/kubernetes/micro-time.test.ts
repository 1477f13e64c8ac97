import fc from 'fast-check';
import { formatMicroTime, parseMicroTime } from '../../src/kubernetes/object.js';

describe('MicroTime', () => {
  it('has six digits after the second, in UTC', () => {
    expect(formatMicroTime(0)).toBe('1970-01-01T00:00:00.000000Z');
    expect(formatMicroTime(1_767_225_599_007)).toBe('2025-12-31T23:59:59.007000Z');
  });

  it('a MicroTime is parsed as it was written', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 253_402_300_799_999 }), (time) => {
        expect(parseMicroTime(formatMicroTime(time))).toBe(time);
      }),
    );
  });

  it.each([
    ['2025-12-31T23:59:59.123456Z', 1_767_225_599_123],
    ['2025-12-31T23:59:59Z', 1_767_225_599_000],
    ['2026-01-01T01:59:59.5+02:00', 1_767_225_599_500],
  ])('parses the MicroTime %s', (text, time) => {
    expect(parseMicroTime(text)).toBe(time);
  });

  it.each(['', 'yesterday', '2025-12-31', '2025-13-31T00:00:00Z', '2025-12-31T23:59:59', '1767225599'])(
    'knows that %p is none',
    (text) => {
      expect(parseMicroTime(text)).toBeUndefined();
    },
  );
});
