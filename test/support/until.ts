import { setTimeout as delay } from 'node:timers/promises';

export interface UntilOptions {
  /** What is waited for, in words, for the error. Default: the code of the condition. */
  readonly what?: string;
  /** The longest wait, in milliseconds: less than a test has, so that nothing waits on when the test is over. */
  readonly within?: number;
}

/** Waits until a condition holds, in real time. Rejects if it does not hold in time. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  { what = String(condition), within = 20_000 }: UntilOptions = {},
): Promise<void> {
  const deadline = performance.now() + within;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`waited ${within / 1000} s in vain: ${what}`);
    await delay(2);
  }
}
