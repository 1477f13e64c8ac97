import { afterEach, expect } from '@jest/globals';
import { format } from 'node:util';

/*
 * Fails each test that prints something that it does not expect. The library prints errors that
 * nothing else reports, so an unexpected line is often a bug. Lines before the first test of a file
 * belong to that test. Tests of examples may print, because an example imports no helper of the
 * project.
 */
const printed: string[] = [];
const expected: RegExp[] = [];

/** What the library reports if the machine is slow. It depends on the machine, not on the test. */
const aboutSpeed = /blocked the event loop for/;

/** What a controller without a logger writes about a run that fails, as many tests let one. */
const ofControllers = /^[\w-]+: [^\n]* (key|hook|trigger|cause|after)=/;

for (const method of ['debug', 'info', 'log', 'warn', 'error'] as const)
  console[method] = (...values: readonly unknown[]) => {
    printed.push(format(...values));
  };

/**
 * Lets the current test print lines that match one of the patterns. A test that asserts what is
 * printed uses `jest.spyOn(console, …)` instead.
 */
export function expectOutput(...patterns: readonly RegExp[]): void {
  expected.push(...patterns);
}

afterEach(() => {
  const patterns = [aboutSpeed, ofControllers, ...expected.splice(0)];
  const lines = printed.splice(0).filter((line) => !patterns.some((pattern) => pattern.test(line)));
  const isExample = !/[\\/]test[\\/]/.test(expect.getState().testPath ?? '');
  if (lines.length > 0 && !isExample)
    throw new Error(`the test printed what it does not expect (expectOutput):\n${lines.join('\n')}`);
});
