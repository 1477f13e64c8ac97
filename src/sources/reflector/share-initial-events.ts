import type { ObjectDecoder } from './object-decoder.js';
import type { DecodedEvent } from './input.js';

/**
 * Returns a function that lets each object of a streaming list take over what equals the object before it, as the items of a paged
 * list do. It is called with the events of one read after the other, and ends with the list: later objects share with what they
 * replace, which only the store knows.
 */
export function shareInitialEvents<T>({
  share: shareWith,
}: Pick<ObjectDecoder<T>, 'share'>): (events: readonly DecodedEvent<T>[]) => readonly DecodedEvent<T>[] {
  let isListing = true;
  let neighbour: T | undefined;

  const share = (event: DecodedEvent<T>): DecodedEvent<T> => {
    if (event.type === 'bookmark' && event.endsInitialList) {
      isListing = false;
      neighbour = undefined;
    }
    if (!isListing || event.type !== 'change' || event.change !== 'ADDED') return event;
    neighbour = neighbour === undefined ? event.object : shareWith(neighbour, event.object);
    return { ...event, object: neighbour };
  };

  return (events) => (isListing ? events.map(share) : events);
}
