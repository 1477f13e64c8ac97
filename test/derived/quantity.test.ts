import { isRxInformersError } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { errorWith } from '../support/error-with.js';

const { quantity } = derived;

/**
 * The cases of apimachinery's `TestQuantityParse`: a text, and its value as an integer times a
 * power of ten.
 */
const parsed: readonly (readonly [text: string, units: number, exponent: number])[] = [
  ...['0', '0n', '0u', '0m', '0Ki', '0k', '0Mi', '0M', '0Gi', '0G', '0Ti', '0T'].map((text) => [text, 0, 0] as const),
  ['1', 1, 0],
  ['1Ki', 1024, 0],
  ['8Ki', 8 * 1024, 0],
  ['7Mi', 7 * 1024 ** 2, 0],
  ['6Gi', 6 * 1024 ** 3, 0],
  ['5Ti', 5 * 1024 ** 4, 0],
  ['4Pi', 4 * 1024 ** 5, 0],
  ['3Ei', 3 * 1024 ** 6, 0],
  ['10Ti', 10 * 1024 ** 4, 0],
  ['100Ti', 100 * 1024 ** 4, 0],
  ['5n', 5, -9],
  ['4u', 4, -6],
  ['3m', 3, -3],
  ['9', 9, 0],
  ['8k', 8, 3],
  ['50k', 5, 4],
  ['7M', 7, 6],
  ['6G', 6, 9],
  ['5T', 5, 12],
  ['40T', 4, 13],
  ['300T', 3, 14],
  ['2P', 2, 15],
  ['1E', 1, 18],
  ['1E-3', 1, -3],
  ['1e3', 1, 3],
  ['1E6', 1, 6],
  ['1e9', 1, 9],
  ['1E12', 1, 12],
  ['1e15', 1, 15],
  ['1E18', 1, 18],
  ['1e14', 1, 14],
  ['1e13', 1, 13],
  ['100.035k', 100035, 0],
  ['0.001', 1, -3],
  ['0.0005k', 5, -1],
  ['0.005', 5, -3],
  ['0.05', 5, -2],
  ['0.5', 5, -1],
  ['0.00050k', 5, -1],
  ['0.00500', 5, -3],
  ['0.05000', 5, -2],
  ['0.50000', 5, -1],
  ['0.5e0', 5, -1],
  ['0.5e-1', 5, -2],
  ['0.5e-2', 5, -3],
  ['10.035M', 10035, 3],
  ['1.2e3', 12, 2],
  ['1.3E+6', 13, 5],
  ['1.40e9', 14, 8],
  ['1.53E12', 153, 10],
  ['1.6e15', 16, 14],
  ['1.7E18', 17, 17],
  ['9.01', 901, -2],
  ['8.1k', 81, 2],
  ['7.123456M', 7123456, 0],
  ['6.987654321G', 6987654321, 0],
  ['5.444T', 5444, 9],
  ['40.1T', 401, 11],
  ['300.2T', 3002, 11],
  ['2.5P', 25, 14],
  ['1.01E', 101, 16],
  // Rounded away from zero, or kept below 2^63.
  ['3.001n', 4, -9],
  ['1.1E-9', 2, -9],
  ['0.0000000001', 1, -9],
  ['0.0000000005', 1, -9],
  ['0.00000000050', 1, -9],
  ['0.5e-9', 1, -9],
  ['0.9n', 1, -9],
  ['0.00000012345', 124, -9],
  ['0.00000012354', 124, -9],
  ['9Ei', 2 ** 63, 0],
  ['9223372036854775807Ki', 2 ** 63, 0],
  ['12E', 12, 18],
  ['100.035Ki', 10243584, -2],
  ['0.5Mi', 0.5 * 1024 ** 2, 0],
  ['0.05Gi', 536870912, -1],
  ['0.025Ti', 274877906944, -1],
  ['0.000000000001Ki', 2, -9],
  ['.001', 1, -3],
  ['.0001k', 100, -3],
  ['1.', 1, 0],
  ['1.G', 1, 9],
  // Far below what is kept.
  ['5e-400', 1, -9],
  ['0e999', 0, 0],
];

/** The invalid texts of `TestQuantityParse`, and what the documented form excludes. */
const invalid = [
  ...['', '1.1.M', '1+1.0M', '0.1mi', '0.1am', 'aoeu', '.5i', '1i', '-3.01i', '-3.01e-', ' 1', '1 ', 'Non-Numeric'],
  ...['.', '-', '+', 'm', 'Ki', '1K', '1ki', '1e', '1e1.5', '--1', '1,5', '0x10', '1e400', 'NaN', 'Infinity', '1\n'],
];

function errorOf(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}

describe('quantity', () => {
  it.each(parsed)('reads %s as the API server does', (text, units, exponent) => {
    const value = Number(`${units}e${exponent}`);
    expect(quantity(text)).toBe(value);
    expect(quantity(`+${text}`)).toBe(value);
    expect(quantity(`-${text}`)).toBe(value === 0 ? 0 : -value);
  });

  it.each(invalid)('throws RXI_INVALID_QUANTITY for %j', (text) => {
    expect(() => quantity(text)).toThrow(errorWith('RXI_INVALID_QUANTITY'));
  });

  it('throws an error with its own code that names the text', () => {
    const error = errorOf(() => quantity('1.1.M'));
    expect(isRxInformersError(error, 'RXI_INVALID_QUANTITY')).toBe(true);
    expect(String(error)).toContain('"1.1.M" is not a quantity');
  });

  it('accepts a number, as custom resources may contain one, and nothing else', () => {
    expect([quantity(2), quantity(0.5), quantity(1e21), quantity(1e-7)]).toEqual([2, 0.5, 1e21, 1e-7]);
    for (const wrong of [NaN, Infinity, null, undefined, {}, [], true]) {
      expect(() => quantity(wrong as number)).toThrow(errorWith('RXI_INVALID_QUANTITY'));
    }
  });
});
