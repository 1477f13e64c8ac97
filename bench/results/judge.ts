import type { FigureOf, Target } from '../model/scenario.js';

/** The outcome of a target, and the figure that decides it. */
export type Verdict =
  | { readonly outcome: 'not measured' }
  | {
      readonly outcome: 'reached' | 'missed';
      /** The median that the target limits, in the unit of its metric. */
      readonly figure: number;
      /** The ratio to the reference. `undefined` if the limit is a number or the reference is 0. */
      readonly ratio?: number;
    };

export function judge(
  { figure, is, factor, reference }: Target,
  medianOf: (of: FigureOf) => number | undefined,
): Verdict {
  const measured = medianOf(figure);
  const unit = reference === undefined ? 1 : medianOf(reference);
  if (measured === undefined || unit === undefined) return { outcome: 'not measured' };
  const limit = factor * unit;
  return {
    outcome: (is === 'at most' ? measured <= limit : measured >= limit) ? 'reached' : 'missed',
    figure: measured,
    ...(reference === undefined || unit === 0 ? {} : { ratio: measured / unit }),
  };
}
