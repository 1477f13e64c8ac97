import { reporters } from '../../../jest.config.js';
import { base } from '../jest.config.js';

/**
 * The tests against a real API server, see test/cluster/README.md of the root. $KUBECONFIG names
 * the server that some of them share. The tests in own-server start servers of their own.
 */
export default {
  ...base,
  rootDir: '..',
  roots: ['<rootDir>/test/cluster'],
  testMatch: ['**/*.test.ts'],
  maxWorkers: 3,
  testTimeout: 300_000,
  reporters,
};
