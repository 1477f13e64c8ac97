import { base, reporters } from '../jest.config.js';

/**
 * The tests against a real API server. $KUBECONFIG names the server that most of them share. The
 * tests in own-server start servers of their own. They wait for servers most of the time, so there
 * are more workers than processors.
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
