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
 * Steps start in their order. A step that waits for the files of another step is skipped for now. A
 * step that waits for processors is not skipped: no later step starts before it, so that a step
 * that needs all processors gets its turn. A failed step keeps back only the steps that read its
 * files.
 *
 * @param processors how many processors the machine has
 */
export function startable(steps: readonly Step[], { running, ended }: Progress, processors: number): readonly Step[] {
  const needs = (step: Step): number => Math.min(step.processors ?? 1, processors);
  let free = processors;
  for (const step of steps) if (running.has(step.name)) free -= needs(step);
  const next: Step[] = [];
  for (const step of steps) {
    if (running.has(step.name) || ended.has(step.name)) continue;
    if (step.after?.some((name) => ended.get(name) !== true) === true) continue;
    if (needs(step) > free) break;
    free -= needs(step);
    next.push(step);
  }
  return next;
}
