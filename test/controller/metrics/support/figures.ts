import type { Fact } from '../../../../src/controller/metrics/instruments.js';

/** A histogram, with the counts of its buckets added up from below as Prometheus shows them. */
export interface Distribution {
  readonly count: number;
  readonly sum: number;
  /** By upper bound, only those in which the count rises. */
  readonly upTo: Readonly<Record<string, number>>;
}

/**
 * What an adapter reports, without its own names: by fact, then by the values of the labels (`web`, `web/error`, `pods/StatusError/410`;
 * empty ones left out).
 */
export type Figures = Readonly<Partial<Record<Fact, Readonly<Record<string, number | Distribution>>>>>;

/** In which they stand behind the name. */
export const labelOrder = ['result', 'state', 'error', 'code'] as const;

/** How label values are spelled in figures. */
export function spelled(values: readonly (string | undefined)[]): string {
  return values.filter(Boolean).join('/');
}

/** Leaves out the buckets that add nothing, so that a test can be read. */
export function distribution(
  count: number,
  sum: number,
  cumulative: readonly (readonly [bound: string, count: number])[],
): Distribution {
  let below = 0;
  const rises = cumulative.filter(([, upTo]) => {
    const isRise = upTo > below;
    below = upTo;
    return isRise;
  });
  return { count, sum: Number(sum.toPrecision(12)), upTo: Object.fromEntries(rises) };
}
