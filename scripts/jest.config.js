import { run, unit } from '../jest.config.js';

/** The tests of the scripts and of the GitHub workflows. */
export default {
  ...unit,
  ...run,
  displayName: 'scripts',
  rootDir: '..',
  roots: ['<rootDir>/scripts/test'],
  testPathIgnorePatterns: ['/node_modules/'],
};
