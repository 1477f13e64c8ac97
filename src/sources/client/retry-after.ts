const wholeSeconds = /^\d+$/;

/**
 * The milliseconds that a `Retry-After` header asks to wait: seconds, or the date when to come back.
 *
 * @param now what time it is, in milliseconds, on the clock that the date was made with
 * @returns `undefined` for a header that is neither; 0 for a date that has passed
 */
export function retryAfterMilliseconds(header: string | undefined, now: () => number): number | undefined {
  const value = header?.trim() ?? '';
  if (wholeSeconds.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now());
}
