import { reporters } from '../../jest.config.js';
import { base } from './jest.config.js';

/**
 * The tests against a real API server, see test/cluster/README.md of the root. $KUBECONFIG names
 * the server that most of them share, so the files run one after another. The tests in own-server
 * start servers of their own: `--maxWorkers` can run several at once.
 */
export default {
  ...base,
  roots: ['<rootDir>/test/cluster'],
  testMatch: ['**/*.test.ts'],
  maxWorkers: 1,
  testTimeout: 120_000,
  reporters,
};
