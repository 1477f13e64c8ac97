import { base, reporters } from './jest.config.js';

/**
 * The tests against a real API server. $KUBECONFIG names the server, and $RIG_RUN_DIR is the folder
 * from which it can be restarted. Most tests share that server, so the files run one after another.
 * The tests in own-server start servers of their own: `--maxWorkers` can run several at once.
 */
export default {
  ...base,
  roots: ['<rootDir>/test/cluster'],
  testMatch: ['**/*.test.ts'],
  maxWorkers: 1,
  testTimeout: 120_000,
  reporters,
};
