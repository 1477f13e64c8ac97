import * as fc from '../../node_modules/fast-check/lib/fast-check.js';
import { runs } from './seed.js';
import { seedOfTest } from './seeded-random.js';

/*
 * Replaces `fast-check` in tests (jest.config.js). Each assertion has the seed of its test, and
 * tries `RUNS` times as many cases.
 */
export * from '../../node_modules/fast-check/lib/fast-check.js';

/** Checks a property as fast-check does. */
export const assert = ((property, { seed = seedOfTest(), numRuns = 100, ...rest } = {}) =>
  fc.assert(property, { ...rest, seed, numRuns: numRuns * runs })) as typeof fc.assert;

export default { ...fc, assert };

fc.configureGlobal({ seed: seedOfTest() });
