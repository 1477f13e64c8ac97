import type { FigureOf, Target } from '../scenario.js';

/** Whether a target was reached, and by what. */
export type Verdict =
  | { readonly outcome: 'not measured' }
  | {
      readonly outcome: 'reached' | 'missed';
      /** The median that the target is about, in the unit of its metric. */
      readonly figure: number;
      /** How many times the reference it is; `undefined` where the limit is a number, or the reference is 0. */
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
