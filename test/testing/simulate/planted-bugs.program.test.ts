import { simulate } from 'rx-informers/testing';
import { failureOf } from './failure-of.js';
import { knownSeeds } from './known-seeds.js';
import { narrowBugs, plantedBugs } from './planted-bugs.js';
import { publishedIncidents } from './published-incidents.js';
import { websiteProgram } from './website-program.js';

/**
 * Some of the bugs and incidents whose failures shrink quickly. `simulate:bars seeds` tries all of
 * them after each change.
 */
const quick = ['stale read', 'lost requeue', 'swallowed conflict', 'ray-project/kuberay#715'] as const;

describe('simulate with a planted bug or a published incident', () => {
  const bugs = { ...plantedBugs, ...narrowBugs, ...publishedIncidents };
  it.each(quick)('finds: %s', async (name) => {
    const seed = knownSeeds[name];
    expect(await failureOf({ ...bugs[name].buggy, seed, runs: 1 })).toMatchObject({ code: 'RXI_SIMULATION', seed });
    expect((await simulate({ ...bugs[name].corrected, seed, runs: 1 })).runs).toBe(1);
  });
});

describe('simulate with the website operator', () => {
  it('finds no failure in a few schedules', async () => {
    expect((await simulate({ ...websiteProgram, runs: 3 })).runs).toBe(3);
  });
});
