import { setTimeout as delay } from 'node:timers/promises';

export interface UntilOptions {
  /** The condition in words, for the error. Default: the code of the condition. */
  readonly what?: string;
  /**
   * The maximum wait, in milliseconds. The default, 20,000, is shorter than the timeout of a test,
   * so that nothing waits after the test has ended.
   */
  readonly within?: number;
}

/** Waits in real time until a condition is true. Rejects if it does not become true in time. */
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
