import { retryAfterMilliseconds } from '../../../src/sources/client/retry-after.js';

const noon = Date.UTC(2026, 0, 1, 12);

describe('retryAfterMilliseconds', () => {
  it.each([
    ['seconds', '120', 120_000],
    ['no seconds', '0', 0],
    ['seconds with space around', ' 5 ', 5000],
    ['a date to come', 'Thu, 01 Jan 2026 12:00:30 GMT', 30_000],
    ['a date that has passed', 'Thu, 01 Jan 2026 11:59:00 GMT', 0],
    ['nonsense', 'soon', undefined],
    ['nothing', '', undefined],
    ['no header', undefined, undefined],
  ])('reads %s', (_, header, expected) => {
    expect(retryAfterMilliseconds(header, () => noon)).toBe(expected);
  });
});
