/** Tests run as native ES modules, compiled by swc; the public entry points resolve to the sources. */
export const base = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  transform: {
    '^.+\\.tsx?$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript', tsx: false }, target: 'es2022' }, module: { type: 'es6' } }],
  },
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^rx-informers$': '<rootDir>/src/index.ts',
    '^rx-informers/node$': '<rootDir>/src/node.ts',
    '^rx-informers/testing$': '<rootDir>/src/testing/index.ts',
  },
};

export default {
  ...base,
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/cluster/'],
};
