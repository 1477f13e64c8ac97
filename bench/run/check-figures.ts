import type { Figures, Scenario } from '../scenario.js';

const SIGNIFICANT_DIGITS = 6;

/** Gives the figures as they are kept, without digits that mean nothing; one that is no number, or of no metric, is an error. */
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
