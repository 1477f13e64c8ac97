import { run, unit } from '../../jest.config.js';

/** The tests of the documented bindings for other frameworks than React. */
export default {
  ...unit,
  ...run,
  displayName: 'frameworks',
  rootDir: '../..',
  roots: ['<rootDir>/test/frameworks'],
  testPathIgnorePatterns: ['/node_modules/'],
};
