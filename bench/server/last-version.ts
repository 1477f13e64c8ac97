import type { ServerContent } from '../scenario.js';

/** The resourceVersion of the list: every object was written before, every event comes after. */
export const LIST_VERSION = 2_000_000;

/** The resourceVersion of the last event, by which a client recognises the end. */
export function lastVersion({ events = 0 }: ServerContent): string {
  return String(LIST_VERSION + events);
}
