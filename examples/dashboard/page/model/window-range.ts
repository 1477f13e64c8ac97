export interface WindowRange {
  readonly offset: number;
  readonly limit: number;
}

/** Rows in one step. */
const step = 40;

/** The part of the table to be read for the rows that are in sight: in steps, so that scrolling asks for another one rarely. */
export function windowRange(first: number, last: number): WindowRange {
  const offset = Math.max(0, Math.floor(first / step) * step);
  const end = (Math.floor(Math.max(first, last) / step) + 1) * step;
  return { offset, limit: end - offset };
}
