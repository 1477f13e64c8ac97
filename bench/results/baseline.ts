const OURS = 'rx-informers';

/** Whether a contestant is this library, in one of the ways in which it can be used. */
export function isOurs(contestant: string): boolean {
  return contestant.startsWith(OURS);
}

/** Whom the others are compared with: this library, in the plainest way of its use that takes part. */
export function baselineOf(contestants: readonly string[]): string | undefined {
  return contestants.includes(OURS) ? OURS : (contestants.find(isOurs) ?? contestants[0]);
}
