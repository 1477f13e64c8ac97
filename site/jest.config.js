import { run, unit } from '../jest.config.js';

/** The tests of the site. */
export default {
  ...unit,
  ...run,
  displayName: 'site',
  rootDir: '..',
  roots: ['<rootDir>/site/test'],
  testPathIgnorePatterns: ['/node_modules/'],
};
