import { peekChange } from '../wire/peek-change.js';

/**
 * Lines of a watch without those that a later one makes void: an ADDED or MODIFIED before another one of the same object. Pure.
 *
 * The later one settles what the object is, whatever stands in between. A DELETED settles less (one of an earlier incarnation is
 * late, and changes nothing), so it makes nothing void and stays. Neither does anything count for what stands before a line that
 * is no change, or none that can be told: that may be the bookmark which ends a streaming list.
 *
 * **Guarantees**: what is kept stands in its order; the same array where nothing is dropped; no line is parsed.
 */
export function latestLines(lines: readonly Uint8Array[]): readonly Uint8Array[] {
  if (lines.length < 2) return lines;
  const settled = new Set<string>();
  const isLatest = (line: Uint8Array): boolean => {
    const change = peekChange(line);
    if (change === undefined) settled.clear();

    if (change?.type !== 'upsert') return true;
    if (settled.has(change.identity)) return false;
    settled.add(change.identity);
    return true;
  };
  const latest = lines.toReversed().filter(isLatest).reverse();
  return latest.length === lines.length ? lines : latest;
}
