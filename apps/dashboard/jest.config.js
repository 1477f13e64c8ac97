import { base as root, reporters, run } from '../../jest.config.js';

/**
 * The common configuration. The public entry points resolve to the sources in `../../src`. Sources
 * and tests use the packages of this folder, although the root has its own RxJS, React and
 * client-node.
 */
export const base = {
  ...root,
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^rxjs$': '<rootDir>/node_modules/rxjs/dist/bundles/rxjs.umd.js',
    '^rxjs/testing$': '<rootDir>/../../test/support/rxjs-testing.js',
    '^fast-check$': root.moduleNameMapper['^fast-check$'],
    '^(react|react-dom)$': '<rootDir>/node_modules/$1',
    '^(react|react-dom)/(.*)$': '<rootDir>/node_modules/$1/$2',
    '^@kubernetes/client-node$': '<rootDir>/node_modules/@kubernetes/client-node',
    '^rx-informers$': '<rootDir>/../../src/index.ts',
    '^rx-informers/(.*)$': ['<rootDir>/../../src/$1.ts', '<rootDir>/../../src/$1/index.ts'],
  },
};

/** The tests that need neither a browser nor a real API server. */
export default {
  ...base,
  ...run,
  collectCoverageFrom: ['{page,server,demo-cluster}/**/*.{ts,tsx}'],
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.{ts,tsx}'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/browser/', '<rootDir>/test/cluster/'],
  reporters: [...reporters, '<rootDir>/../../test/support/hang-reporter.js'],
};
