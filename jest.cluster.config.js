import { base } from './jest.config.js';

/**
 * The tests against a real API server. $KUBECONFIG names the server, and $RIG_RUN_DIR is the folder
 * from which it can be restarted. The tests share that server, so they run one after another.
 */
export default {
  ...base,
  roots: ['<rootDir>/test/cluster'],
  testMatch: ['**/*.test.ts'],
  testTimeout: 120_000,
  setupFilesAfterEnv: ['<rootDir>/test/support/second-attempt.ts'],
  reporters: ['default', '<rootDir>/test/support/second-attempt-reporter.js'],
};
