import { jest } from '@jest/globals';

/*
 * A last resort. Browser, API server and tests share the processors of the machine, and a browser
 * may crash. So a failed test is repeated once, after the other tests of its file, with a new
 * browser profile, a new API server and a new dashboard. `SecondAttemptReporter` prints its name.
 */
jest.retryTimes(1, { logErrorsBeforeRetry: true });
