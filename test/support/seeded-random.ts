import { beforeEach, expect } from '@jest/globals';
import { join, relative, sep } from 'node:path';
import { randomFromSeed } from '../../src/testing/virtual-clock.js';
import { seedOf } from './seed.js';

/*
 * Seeds all random choices of a test by its name: fast-check's (fast-check.ts), and those of the
 * library and of other packages, which call `Math.random` by default. The seeds do not depend on
 * the other tests of a run.
 */
const root = join(import.meta.dirname, '../..');
const seeds = new Map<string, number>();

/** Returns a seed for the current test, which is another one at each call. */
export function seedOfTest(): number {
  const { testPath = '', currentTestName = '' } = expect.getState();
  const name = `${relative(root, testPath).replaceAll(sep, '/')} ${currentTestName}`;
  const count = seeds.get(name) ?? 0;
  seeds.set(name, count + 1);
  return seedOf(`${name} ${count}`);
}

let random = randomFromSeed(seedOfTest());
Math.random = () => random();
beforeEach(() => {
  random = randomFromSeed(seedOfTest());
});
