import type { BookmarkEvent, ChangeEvent, ListedEvent } from './watch-event.js';

/**
 * A completed list: everything that exists.
 *
 * @param resourceVersion the version of the list; default `''`, none
 * @example
 * import { fromEvents, listed, modified } from 'rx-informers';
 *
 * const source = fromEvents([listed([{ metadata: { name: 'a' } }]), modified({ metadata: { name: 'a', labels: { on: 'yes' } } })]);
 */
export function listed<T>(items: readonly T[], resourceVersion = ''): ListedEvent<T> {
  return { type: 'LISTED', items, resourceVersion };
}

/** The watch saw `object` appear. */
export function added<T>(object: T): ChangeEvent<T> {
  return { type: 'ADDED', object };
}

/** The watch saw `object` change. */
export function modified<T>(object: T): ChangeEvent<T> {
  return { type: 'MODIFIED', object };
}

/** The watch saw `object` disappear; `object` is its final state. */
export function deleted<T>(object: T): ChangeEvent<T> {
  return { type: 'DELETED', object };
}

/** Nothing changed up to `resourceVersion`. */
export function bookmark(resourceVersion: string): BookmarkEvent {
  return { type: 'BOOKMARK', resourceVersion };
}
