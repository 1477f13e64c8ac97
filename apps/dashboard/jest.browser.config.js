import { reporters } from '../../jest.config.js';
import { base } from './jest.config.js';

/**
 * The tests of the built page in Chromium. $CHROMIUM is the path of the browser; by default it is
 * the path of Debian's package. Browser, API server and tests share the processors, so the files
 * run one after another.
 */
export default {
  ...base,
  roots: ['<rootDir>/test/browser'],
  testMatch: ['**/*.test.ts'],
  maxWorkers: 1,
  testTimeout: 240_000,
  reporters,
};
