import fc from 'fast-check';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { randomFromSeed } from 'rx-informers/testing';
import { runs, seedOf } from './seed.js';

const module = join(import.meta.dirname, 'seed.js');

/** Runs a program with these variables, and returns what it prints. */
function printed(code: string, variables: Readonly<Record<string, string>>): string {
  const script = `import { runs, seed, seedOf, variables } from ${JSON.stringify(module)}; ${code}`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...process.env, SEED: '', RUNS: '', ...variables },
    encoding: 'utf8',
  });
  return stdout + stderr;
}

describe('the seed of random tests', () => {
  it('depends on the name and on SEED, and on nothing else', () => {
    const seeds = (variables: Readonly<Record<string, string>>): string =>
      printed("console.log(seedOf('a'), seedOf('b'), seedOf('a'))", variables);
    expect(seeds({})).toBe(seeds({ SEED: '1' }));
    expect(seeds({})).toMatch(/^(\d+) (?!\1 )\d+ \1\n$/);
    expect(seeds({ SEED: '2' })).not.toBe(seeds({}));
  });

  it('is named with the variables that repeat the run', () => {
    expect(printed('console.log(variables)', {})).toBe('\n');
    expect(printed('console.log(variables)', { SEED: '7', RUNS: '10' })).toBe('SEED=7 RUNS=10 \n');
  });

  it.each([
    ['SEED', 'abc'],
    ['SEED', '-1'],
    ['SEED', '1.5'],
    ['SEED', '4294967296'],
    ['RUNS', '0'],
    ['RUNS', '1e3'],
  ])('is refused: %s=%s', (name, value) => {
    expect(printed('', { [name]: value })).toMatch(
      new RegExp(`RangeError: ${name}=${value} is not a whole number from \\d to \\d+\\.`),
    );
  });

  /** Returns what an assertion of fast-check tries. */
  function tried(parameters?: fc.Parameters<[number]>): readonly number[] {
    const values: number[] = [];
    fc.assert(
      fc.property(fc.nat(), (value) => void values.push(value)),
      parameters,
    );
    return values;
  }

  it('is that of fast-check, and another one for each assertion', () => {
    expect(tried()).not.toEqual(tried());
    expect(tried({ seed: 1 })).toEqual(tried({ seed: 1 }));
    expect(tried({ numRuns: 7 })).toHaveLength(7 * runs);
  });

  it('repeats what Math.random returns in a test of this name', () => {
    const file = 'test/support/seed.test.ts';
    const { currentTestName = '' } = expect.getState();
    expect(Math.random()).toBe(randomFromSeed(seedOf(`${file} ${currentTestName} 0`))());
  });
});
