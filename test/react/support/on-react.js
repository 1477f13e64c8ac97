import { base, run, unit } from '../../../jest.config.js';

/**
 * Returns the configuration of the tests of rx-informers/react. They run with the React that is
 * installed in `test/react/react-<version>`.
 */
export function onReact(version, options = {}) {
  const installed = `<rootDir>/test/react/react-${version}/node_modules`;
  return {
    ...unit,
    ...run,
    displayName: `react-${version}`,
    rootDir: '../../..',
    roots: ['<rootDir>/test/react'],
    globals: { reactVersion: version },
    moduleNameMapper: {
      ...base.moduleNameMapper,
      '^(react|react-dom)$': `${installed}/$1`,
      '^(react|react-dom)/(.*)$': `${installed}/$1/$2`,
    },
    ...options,
  };
}
