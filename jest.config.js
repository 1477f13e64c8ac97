import process from 'node:process';
import { fileURLToPath } from 'node:url';

const compiled = ({ tsx }) => [
  '@swc/jest',
  {
    jsc: {
      parser: { syntax: 'typescript', tsx },
      transform: { react: { runtime: 'automatic' } },
      target: 'es2022',
      experimental: { keepImportAttributes: true },
    },
    module: { type: 'es6' },
  },
];

/**
 * The common configuration. Tests run as native ES modules, compiled by swc. The public entry
 * points resolve to the sources.
 */
export const base = {
  testEnvironment: fileURLToPath(new URL('test/support/environment.js', import.meta.url)),
  setupFiles: [fileURLToPath(new URL('test/support/load-scanner.ts', import.meta.url))],
  setupFilesAfterEnv: [fileURLToPath(new URL('test/support/seeded-random.ts', import.meta.url))],
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  transform: {
    '^.+\\.ts$': compiled({ tsx: false }),
    '^.+\\.tsx$': compiled({ tsx: true }),
  },
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    // The bundle of RxJS is one file instead of 200. Each test file loads RxJS anew, and loading
    // 200 files took longer than loading all of src.
    '^rxjs$': '<rootDir>/node_modules/rxjs/dist/bundles/rxjs.umd.js',
    '^rxjs/testing$': '<rootDir>/test/support/rxjs-testing.js',
    '^fast-check$': fileURLToPath(new URL('test/support/fast-check.ts', import.meta.url)),
    '^rx-informers$': '<rootDir>/src/index.ts',
    '^rx-informers/(.*)$': ['<rootDir>/src/$1.ts', '<rootDir>/src/$1/index.ts'],
  },
  collectCoverageFrom: ['src/**/*.ts'],
};

/**
 * The folders in which each project looks for tests. Tests with a configuration of their own are
 * left out.
 */
const project = {
  ...base,
  roots: ['<rootDir>/test', '<rootDir>/examples'],
  testPathIgnorePatterns: [
    '/node_modules/',
    '<rootDir>/examples/test/',
    '<rootDir>/test/cluster/',
    '<rootDir>/test/frameworks/',
    '<rootDir>/test/react/',
  ],
};

/** The tests that start processes or servers, or that take more than three seconds for a reason. */
const programs = {
  ...project,
  displayName: 'programs',
  testMatch: ['**/*.program.test.{ts,tsx}'],
};

export const unit = {
  ...project,
  displayName: 'unit',
  testMatch: ['**/*.test.{ts,tsx}'],
  testPathIgnorePatterns: [...project.testPathIgnorePatterns, '\\.program\\.test\\.tsx?$'],
};

const hangReporter = '<rootDir>/test/support/hang-reporter.js';
const seedReporter = fileURLToPath(new URL('test/support/seed-reporter.js', import.meta.url));

/** The reporters of the tests that share one browser or one API server. */
export const reporters = ['default', seedReporter];

export const run = {
  collectCoverageFrom: base.collectCoverageFrom,
  // On two processors, jest chooses one worker by default, which takes twice as long.
  maxWorkers: '100%',
  // V8 keeps the ES modules of finished test files, 10 to 20 MB for each file. Without a limit, a
  // worker grows to 3 GB and spends more and more time on garbage collection.
  workerIdleMemoryLimit: '700MB',
  // A test that hangs must end. The limit is high, because a slow test on a busy machine is not a
  // failure.
  testTimeout: 30_000,
  reporters: [...reporters, hangReporter],
};

/** True if the arguments do not choose tests: then little is printed. */
const isEverything = process.argv.slice(2).every((argument) => /^--(?!config|selectProjects|verbose)/.test(argument));

export default {
  ...run,
  projects: [unit, programs].map((each) => ({
    ...each,
    setupFilesAfterEnv: [...base.setupFilesAfterEnv, '<rootDir>/test/support/unexpected-output.ts'],
  })),
  reporters: [isEverything ? '<rootDir>/test/support/summary-reporter.js' : 'default', seedReporter, hangReporter],
};
