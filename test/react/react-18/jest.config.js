import root, { base } from '../../../jest.config.js';

const installed = '<rootDir>/test/react/react-18/node_modules';

/** The tests of rx-informers/react, on the oldest React that it works with. */
export default {
  ...root,
  rootDir: '../../..',
  roots: ['<rootDir>/test/react'],
  globals: { reactVersion: '18' },
  moduleNameMapper: {
    ...base.moduleNameMapper,
    '^(react|react-dom)$': `${installed}/$1`,
    '^(react|react-dom)/(.*)$': `${installed}/$1/$2`,
  },
};
