import type { Figures, Scenario } from '../model/scenario.js';

const SIGNIFICANT_DIGITS = 6;

/**
 * Returns the figures, rounded to significant digits. Throws if a value is not a number, or if a
 * value has no metric.
 */
export function checkFigures(title: string, metrics: Scenario['metrics'], figures: Figures): Figures {
  const entries = Object.entries(figures);
  if (entries.length === 0) throw new Error(`${title}: no figure was measured`);
  return Object.fromEntries(
    entries.map(([metric, figure]) => {
      if (!Object.hasOwn(metrics, metric)) throw new Error(`${title}: ${metric} is no metric of this scenario`);
      if (!Number.isFinite(figure)) throw new Error(`${title}: ${metric} is ${String(figure)}, which is no figure`);
      return [metric, Number(figure.toPrecision(SIGNIFICANT_DIGITS))];
    }),
  );
}
