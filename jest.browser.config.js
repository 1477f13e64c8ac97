import { base } from './jest.config.js';

/**
 * The tests of the dashboard's built page in Chromium: $CHROMIUM says which one, else Debian's.
 * Browser, API server and tests share the processors, so the files run one after the other.
 */
export default {
  ...base,
  roots: ['<rootDir>/test/browser'],
  testMatch: ['**/*.test.ts'],
  maxWorkers: 1,
  testTimeout: 120_000,
};
