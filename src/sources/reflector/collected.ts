/** What was read so far, newest chunk first: adding to it copies nothing, and no state changes. */
export interface Collected<Entry> {
  readonly entries: readonly Entry[];
  readonly before: Collected<Entry> | undefined;
}

/** `collected` with `entries` behind it. */
export function collect<Entry>(
  collected: Collected<Entry> | undefined,
  entries: readonly Entry[],
): Collected<Entry> | undefined {
  return entries.length === 0 ? collected : { entries, before: collected };
}

/** Everything collected, in the order in which it came. */
export function everythingIn<Entry>(collected: Collected<Entry> | undefined): readonly Entry[] {
  const chunks: (readonly Entry[])[] = [];
  for (let chunk = collected; chunk !== undefined; chunk = chunk.before) chunks.push(chunk.entries);
  return chunks.reverse().flat();
}
