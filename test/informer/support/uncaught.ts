import { jest } from '@jest/globals';

/**
 * Returns the errors that RxJS throws asynchronously while `act` runs. These are errors of
 * subscribers without an error handler.
 */
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
