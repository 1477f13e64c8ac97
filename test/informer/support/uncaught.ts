import { jest } from '@jest/globals';

/** What RxJS throws in a turn of its own while `act` runs: the errors of subscribers, which have no one else to go to. */
export function uncaughtErrorsOf(act: () => void): readonly unknown[] {
  const uncaught: unknown[] = [];
  jest.useFakeTimers();
  try {
    act();
    while (jest.getTimerCount() > 0) {
      try {
        jest.runOnlyPendingTimers();
      } catch (error) {
        uncaught.push(error);
      }
    }
  } finally {
    jest.useRealTimers();
  }
  return uncaught;
}
