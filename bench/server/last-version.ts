import type { ServerContent } from '../model/scenario.js';

/**
 * The resourceVersion of the list. Every object was written before it, and every event comes after
 * it.
 */
export const LIST_VERSION = 2_000_000;

/** Returns the resourceVersion of the last event, by which a client recognises the end. */
export function lastVersion({ events = 0 }: ServerContent): string {
  return String(LIST_VERSION + events);
}
