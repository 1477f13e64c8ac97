import fc from 'fast-check';
import { compareResourceVersions } from 'rx-informers';

const sign = (order: number | undefined): number | undefined => (order === undefined ? undefined : Math.sign(order));

describe('compareResourceVersions', () => {
  it.each([
    ['1', '1', 0],
    ['1', '2', -1],
    ['10', '9', 1],
    ['99999999999999999999999999999999999999', '100000000000000000000000000000000000000', -1],
    ['9007199254740993', '9007199254740992', 1],
    ['v1', 'v1', 0],
    ['v1', 'v2', undefined],
    ['1', 'v2', undefined],
    ['01', '1', undefined],
    ['0', '1', undefined],
    ['-1', '1', undefined],
    ['1.5', '1', undefined],
    ['1e3', '1', undefined],
    ['٣', '1', undefined],
    ['', '', undefined],
    ['', '1', undefined],
  ])('compares %j with %j as integers of any length, or for equality only (KEP-5504)', (one, other, expected) => {
    expect(sign(compareResourceVersions(one, other))).toBe(expected);
    expect(sign(compareResourceVersions(other, one))).toBe(
      expected === undefined ? undefined : Math.sign(0 - expected) + 0,
    );
  });

  it('orders as integers are ordered', () => {
    const version = fc.bigInt({ min: 1n, max: 2n ** 128n });
    fc.assert(
      fc.property(version, version, (one, other) => {
        expect(sign(compareResourceVersions(String(one), String(other)))).toBe(
          one === other ? 0 : one < other ? -1 : 1,
        );
      }),
    );
  });
});
