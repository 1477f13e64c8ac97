import { retryAfterMilliseconds } from '../../../src/sources/client/status-error-response.js';

const noon = Date.UTC(2026, 0, 1, 12);

describe('retryAfterMilliseconds', () => {
  it.each([
    ['seconds', '120', 120_000],
    ['no seconds', '0', 0],
    ['seconds with space around', ' 5 ', 5000],
    ['a date to come', 'Thu, 01 Jan 2026 12:00:30 GMT', 30_000],
    ['a date that has passed', 'Thu, 01 Jan 2026 11:59:00 GMT', 0],
    ['a date in a hundred years', 'Fri, 01 Jan 2126 12:00:00 GMT', Date.UTC(2126, 0, 1, 12) - noon],
    ['a date of RFC 850', 'Thursday, 01-Jan-26 12:00:30 GMT', 30_000],
    ['more seconds than a number can hold', '9'.repeat(400), Infinity],
    ['a negative number', '-5', undefined],
    ['a fraction', '1.5', undefined],
    ['NaN', 'NaN', undefined],
    ['Infinity', 'Infinity', undefined],
    ['a date that does not exist', 'Thu, 99 Foo 2026 12:00:30 GMT', undefined],
    ['nonsense', 'soon', undefined],
    ['nothing', '', undefined],
    ['no header', undefined, undefined],
  ])('parses the Retry-After header %s', (_, header, expected) => {
    expect(retryAfterMilliseconds(header, () => noon)).toBe(expected);
  });
});
