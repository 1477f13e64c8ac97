import { run, unit } from '../jest.config.js';

/** The tests of the examples that need packages of this folder. */
export default {
  ...unit,
  ...run,
  displayName: 'examples',
  rootDir: '..',
  roots: ['<rootDir>/examples/test'],
  testPathIgnorePatterns: ['/node_modules/'],
};
