import type { ErrorCode, RxInformersError } from 'rx-informers';

/**
 * Returns a matcher for errors with this code, and with these fields:
 * `expect(read).toThrow(errorWith('RXI_UNKNOWN_INDEX', { index: 'zone' }))`.
 */
export function errorWith<Code extends ErrorCode>(
  code: Code,
  fields: Partial<RxInformersError<Code>> = {},
): RxInformersError<Code> {
  return expect.objectContaining({ ...fields, code }) as RxInformersError<Code>;
}
