/** The bytes of one object and of one of its properties, in V8 without pointer compression. */
const objectBytes = 24;
const propertyBytes = 8;
const stringBytes = 16;

/** The depth limit, for objects that contain themselves. Objects of an API server are less deep. */
const deepest = 64;

/**
 * Estimates the bytes of an earlier version that `later` (`undefined`: deleted) does not share;
 * compares by identity, so unchanged parts are not read. A character of a string is a byte; names
 * and numbers only take their slot.
 */
export function retainedBytes(earlier: unknown, later: unknown, depth = 0): number {
  if (Object.is(earlier, later)) return 0;
  if (typeof earlier === 'string') return stringBytes + earlier.length;
  if (typeof earlier !== 'object' || earlier === null || depth === deepest) return 0;
  const counterpart = (typeof later === 'object' && later !== null ? later : noCounterpart) as Record<string, unknown>;
  const parts = earlier as Readonly<Record<string, unknown>>;
  let bytes = objectBytes;
  for (const name in parts) bytes += propertyBytes + retainedBytes(parts[name], counterpart[name], depth + 1);
  return bytes;
}

const noCounterpart: Readonly<Record<string, unknown>> = Object.freeze({});
