/** The reasons with one more: each once, at most `limit`, the newest where there are more. */
export function mergeReason<Reason>(
  reasons: readonly Reason[],
  reason: Reason | undefined,
  limit: number,
): readonly Reason[] {
  if (reason === undefined || limit < 1 || reasons.includes(reason)) return reasons;
  return [...reasons, reason].slice(-limit);
}
