import { base, run } from '../jest.config.js';

/** The tests of the benchmarks: `npm test --prefix bench`. */
export default { ...base, ...run, rootDir: '..', roots: ['<rootDir>/bench/test'] };
