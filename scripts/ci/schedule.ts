import type { Step } from './steps.js';

/**
 * The steps that run and the steps that have ended, by name. A step that has not started is in
 * neither collection.
 */
export interface Progress {
  readonly running: ReadonlySet<string>;
  /** True if the step passed. */
  readonly ended: ReadonlyMap<string, boolean>;
}

/**
 * Returns the steps to start now. Pure.
 *
 * Steps start in their order. A step that waits for another step is skipped for now. A step that
 * waits for processors is not skipped: no later step starts before it, so that a step that runs
 * alone gets its turn. After a failure nothing starts.
 *
 * @param places how many steps may run side by side
 */
export function startable(steps: readonly Step[], { running, ended }: Progress, places: number): readonly Step[] {
  if ([...ended.values()].includes(false)) return [];
  const isAlone = steps.some(({ name, alone }) => alone === true && running.has(name));
  let free = isAlone ? 0 : places - running.size;
  const next: Step[] = [];
  for (const step of steps) {
    if (running.has(step.name) || ended.has(step.name)) continue;
    if (step.after?.some((name) => ended.get(name) !== true) === true) continue;
    const needed = step.alone === true ? places : 1;
    if (needed > free) break;
    free -= needed;
    next.push(step);
  }
  return next;
}
