import type { Fact } from '../../../../src/controller/metrics/metric-definitions.js';

/** A histogram. Its buckets have cumulative counts, as Prometheus shows them. */
export interface Distribution {
  readonly count: number;
  readonly sum: number;
  /**
   * The counts by upper bound. Only buckets with a higher count than the bucket below are included.
   */
  readonly upTo: Readonly<Record<string, number>>;
}

/**
 * The figures that an adapter reports, without its own metric names: by fact, then by the values of
 * the labels (`web`, `web/error`, `pods/RXI_STATUS/410`). Empty values are left out.
 */
export type Figures = Readonly<Partial<Record<Fact, Readonly<Record<string, number | Distribution>>>>>;

/** The order of the labels after the name. */
export const labelOrder = ['result', 'state', 'error', 'code'] as const;

/** Returns label values in the form that figures use. */
export function text(values: readonly (string | undefined)[]): string {
  return values.filter(Boolean).join('/');
}

/** Returns a histogram without the buckets that add nothing, so that a test is easy to read. */
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
