import { base, run, unit } from '../jest.config.js';

/** The tests of the examples that take long, or that need packages of this folder. */
export default {
  ...unit,
  ...run,
  displayName: 'examples',
  rootDir: '..',
  roots: ['<rootDir>/examples/test'],
  testPathIgnorePatterns: ['/node_modules/'],
  setupFilesAfterEnv: [...base.setupFilesAfterEnv, '<rootDir>/test/support/unexpected-output.ts'],
};
