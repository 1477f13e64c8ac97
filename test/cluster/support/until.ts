import { until as untilWithin } from '../../support/until.js';

/** Waits in real time until a condition is true, as long as `eventually` does. */
export function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  return untilWithin(condition, { what: String(condition), within: 120_000 });
}
