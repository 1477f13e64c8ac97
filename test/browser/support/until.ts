import { setTimeout as delay } from 'node:timers/promises';

/** Resolves once `condition` holds, and says what it waited for where it never does. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  milliseconds = 60_000,
): Promise<void> {
  const deadline = performance.now() + milliseconds;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`waited ${milliseconds / 1000} s in vain: ${what}`);
    await delay(20);
  }
}
