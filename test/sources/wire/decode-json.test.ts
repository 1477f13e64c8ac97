import fc from 'fast-check';
import { decodeJson, WireError } from '../../../src/sources/wire/bytes.js';
import { trickyJson } from './chunks.js';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

function errorOf(run: () => unknown): WireError {
  try {
    run();
  } catch (error) {
    if (error instanceof WireError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('decodeJson', () => {
  it('returns what JSON.parse returns, for any JSON', () => {
    fc.assert(
      fc.property(trickyJson, (value) => {
        const text = JSON.stringify(value);
        expect(decodeJson(bytesOf(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  it('refuses what is not JSON, and shows its beginning, its length and the cause', () => {
    const error = errorOf(() => decodeJson(bytesOf(`<html>${'x'.repeat(1000)}`)));

    expect(error.problem).toBe('not valid JSON');
    expect(error.line).toMatch(/^<html>x+$/);
    expect(error.line.length).toBe(200);
    expect(error.byteLength).toBe(1006);
    expect(error.cause).toBeInstanceOf(SyntaxError);
  });

  it('refuses a cut-off object and no bytes at all', () => {
    expect(errorOf(() => decodeJson(bytesOf('{"kind":"Pod'))).problem).toBe('not valid JSON');
    expect(errorOf(() => decodeJson(bytesOf(''))).byteLength).toBe(0);
  });

  it('refuses invalid UTF-8 rather than put replacement characters into an object', () => {
    const error = errorOf(() => decodeJson(Uint8Array.of(0x22, 0xc3, 0x28, 0x22)));

    expect(error.problem).toBe('not valid UTF-8');
    expect(error.line).toBe('"\ufffd("');
    expect(error.byteLength).toBe(4);
  });
});
