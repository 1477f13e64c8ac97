const wholeSeconds = /^\d+$/;
/** HTTP dates begin with the day; `Date.parse` takes `-5` and `1.5` for dates, too. */
const httpDate = /^[A-Z][a-z]{2,8},? /;

/**
 * The milliseconds that a `Retry-After` header asks to wait: seconds, or the date when to come back.
 *
 * @param now what time it is, in milliseconds, on the clock that the date was made with
 * @returns `undefined` for a header that is neither; 0 for a date that has passed
 */
export function retryAfterMilliseconds(header: string | undefined, now: () => number): number | undefined {
  const value = header?.trim() ?? '';
  if (wholeSeconds.test(value)) return Number(value) * 1000;
  const date = httpDate.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now());
}
