import { TestScheduler, type RunHelpers } from 'rxjs/testing';

/** Runs `test` in virtual time, comparing frames with jest, so that a difference is readable. */
export function marbles(test: (helpers: RunHelpers, scheduler: TestScheduler) => void): void {
  const scheduler = new TestScheduler((actual, expected) => {
    expect(actual).toEqual(expected);
  });
  scheduler.run((helpers) => {
    test(helpers, scheduler);
  });
}
