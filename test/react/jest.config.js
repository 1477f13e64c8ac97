import { fileURLToPath } from 'node:url';
import { base, run, unit } from '../../jest.config.js';

const rootDir = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Returns the project of the tests with one version of React. In each project there is one copy of
 * React, which the sources, the tests and Testing Library import.
 */
function onReact(version, folder, options = {}) {
  const installed = `<rootDir>/test/react/${folder}node_modules`;
  return {
    ...unit,
    displayName: `react-${version}`,
    rootDir,
    roots: ['<rootDir>/test/react'],
    testPathIgnorePatterns: ['/node_modules/'],
    globals: { reactVersion: version },
    moduleNameMapper: {
      ...base.moduleNameMapper,
      '^(react|react-dom)$': `${installed}/$1`,
      '^(react|react-dom)/(.*)$': `${installed}/$1/$2`,
    },
    ...options,
  };
}

/**
 * The tests of rx-informers/react with each version of React. React 18 is the oldest version that
 * rx-informers/react supports. This React has no Activity.
 */
export default {
  ...run,
  rootDir,
  projects: [
    onReact('18', 'react-18/', { testPathIgnorePatterns: ['/node_modules/', 'activity.test'] }),
    onReact('19.2', 'react-19.2/'),
    onReact('19.3', ''),
  ],
};
