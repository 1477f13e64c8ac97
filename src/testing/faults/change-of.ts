import type { KubernetesObject } from '../../kubernetes/object.js';
import type { ChangeEvent, WatchEvent } from '../../sources/watch-event.js';

/** Whether an event is about one object. */
export function isChange<T>(event: WatchEvent<T>): event is ChangeEvent<T> {
  return event.type === 'ADDED' || event.type === 'MODIFIED' || event.type === 'DELETED';
}

/** What makes two objects of one source the same one for a watch: namespace and name. */
export function objectIdentity({ metadata }: KubernetesObject): string {
  return `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`;
}
