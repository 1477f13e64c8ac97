import type { EventObject } from './event-object.js';

/** Options of the spam filter (E5). */
export interface SpamFilterOptions {
  /** How many different events about one object, of one type, may come at once (default 25). */
  readonly burst?: number | undefined;
  /** Milliseconds until one more may come (default 300,000). Shorter asks more of the API server and of etcd. */
  readonly refillEvery?: number | undefined;
}

/** Whether an event may pass; asked once for each. */
export type SpamFilter = (event: EventObject, at: number) => boolean;

/** As many objects as client-go remembers (E2). */
const maxObjects = 4096;

/** E5: a token bucket for each object and type of event. One number a bucket says it all: when it will be full again. */
export function spamFilter({ burst = 25, refillEvery = 300_000 }: SpamFilterOptions = {}): SpamFilter {
  if (!(burst >= 1)) throw new RangeError(`the burst must be at least 1, not ${burst}`);
  if (!(refillEvery > 0)) throw new RangeError(`refillEvery must be above 0 ms, not ${refillEvery}`);
  const fullAt = new Map<string, number>();
  return ({ type, regarding: { apiVersion, kind, namespace, name, uid } }, at) => {
    const key = JSON.stringify([type, apiVersion, kind, namespace, name, uid]);
    const from = Math.max(fullAt.get(key) ?? at, at);
    const passes = from - at <= (burst - 1) * refillEvery;
    // The one that was asked for longest ago stands first, and is forgotten first.
    fullAt.delete(key);
    fullAt.set(key, passes ? from + refillEvery : from);
    if (fullAt.size > maxObjects) fullAt.delete(fullAt.keys().next().value ?? key);
    return passes;
  };
}
