import { base } from './jest.config.js';

/**
 * The tests against a real API server: $KUBECONFIG says which, and $RIG_RUN_DIR where it can be restarted from.
 * They share that server, so they run one after the other.
 */
export default {
  ...base,
  roots: ['<rootDir>/test/cluster'],
  testMatch: ['**/*.test.ts'],
  testTimeout: 120_000,
};
