const OURS = 'rx-informers';

/** Returns true if a contestant is this library, in any way of use. */
export function isOurs(contestant: string): boolean {
  return contestant.startsWith(OURS);
}

/**
 * Returns the contestant with which all others are compared. It is this library in its simplest
 * form, if this library takes part.
 */
export function baselineOf(contestants: readonly string[]): string | undefined {
  return contestants.includes(OURS) ? OURS : (contestants.find(isOurs) ?? contestants[0]);
}
