import type { WatchEvent } from '../watch-event.js';

/** The event with the name of the merged source that it came from; a partition that it had becomes the inner one: `outer/inner`. */
export function stampPartition<E extends WatchEvent<unknown>>(
  event: E,
  name: string,
): E & { readonly partition: string } {
  return { ...event, partition: event.partition === undefined ? name : `${name}/${event.partition}` };
}
