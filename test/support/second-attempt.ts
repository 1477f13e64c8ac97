import { jest } from '@jest/globals';

/*
 * A last resort for tests in real time, with browsers, API servers and other processes that share
 * the processors of the machine. A failed test is repeated once, after the other tests of its file.
 * `SecondAttemptReporter` prints its name.
 */
jest.retryTimes(1, { logErrorsBeforeRetry: true });
