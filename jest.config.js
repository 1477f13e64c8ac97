const compiled = ({ tsx }) => [
  '@swc/jest',
  {
    jsc: {
      parser: { syntax: 'typescript', tsx },
      transform: { react: { runtime: 'automatic' } },
      target: 'es2022',
    },
    module: { type: 'es6' },
  },
];

/** Tests run as native ES modules, compiled by swc; the public entry points resolve to the sources. */
export const base = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  transform: {
    '^.+\\.ts$': compiled({ tsx: false }),
    '^.+\\.tsx$': compiled({ tsx: true }),
  },
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    // One file instead of 200: each test file loads RxJS anew, and that took longer than all of src.
    '^rxjs$': '<rootDir>/node_modules/rxjs/dist/bundles/rxjs.umd.js',
    '^rxjs/testing$': '<rootDir>/test/support/rxjs-testing.js',
    '^rx-informers$': '<rootDir>/src/index.ts',
    '^rx-informers/(.*)$': ['<rootDir>/src/$1.ts', '<rootDir>/src/$1/index.ts'],
  },
  collectCoverageFrom: ['src/**/*.ts'],
};

/** Where each project looks; what has a configuration of its own is left out. */
const project = {
  ...base,
  roots: ['<rootDir>/test', '<rootDir>/examples'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/cluster/', '<rootDir>/test/browser/'],
};

/** Tests that start processes or servers, or take more than three seconds for a reason. */
const programs = {
  ...project,
  displayName: 'programs',
  testMatch: ['**/*.program.test.{ts,tsx}', '<rootDir>/test/bench/**/*.test.ts'],
};

export const unit = {
  ...project,
  displayName: 'unit',
  testMatch: ['**/*.test.{ts,tsx}'],
  testPathIgnorePatterns: [...project.testPathIgnorePatterns, '\\.program\\.test\\.tsx?$', '<rootDir>/test/bench/'],
};

export const run = {
  collectCoverageFrom: base.collectCoverageFrom,
  // On two processors, jest's own choice is one worker, which takes twice as long.
  maxWorkers: '100%',
  // V8 keeps the ES modules of test files that are done, 10 to 20 MB for each. Without a limit, a worker grows
  // to 3 GB, and spends more and more time with garbage collection.
  workerIdleMemoryLimit: '700MB',
  // A test that hangs has to end; one that is slow on a busy machine has not failed.
  testTimeout: 30_000,
  reporters: ['default', '<rootDir>/test/support/hang-reporter.js'],
};

export default { ...run, projects: [unit, programs] };
