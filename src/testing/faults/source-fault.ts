import type { OperatorFunction } from 'rxjs';
import type { AnyKubernetesObject } from '../../kubernetes/object.js';
import type { WatchEvent, WatchEventBatch, ChangeEvent, ListedEvent } from '../../sources/model/watch-event.js';

/** An operator that adds a fault of networks or servers to any source. */
export type SourceFault<T> = OperatorFunction<WatchEvent<T> | readonly WatchEvent<T>[], WatchEventBatch<T>>;

/** Returns true if an event is about one object. */
export function isChange<T>(event: WatchEvent<T>): event is ChangeEvent<T> {
  return event.type === 'ADDED' || event.type === 'MODIFIED' || event.type === 'DELETED';
}

/** Returns the identity of an object within a source: namespace and name. */
export function objectIdentity({ metadata }: AnyKubernetesObject): string {
  return `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`;
}

interface Partition<T> {
  readonly objects: Map<string, T>;
  resourceVersion: string;
}

/** The current objects of a source, by partition. Only partitions that were listed are known. */
export class ListedContent<T extends AnyKubernetesObject> {
  readonly #partitions = new Map<string | undefined, Partition<T>>();

  has(partition: string | undefined): boolean {
    return this.#partitions.has(partition);
  }

  apply(event: WatchEvent<T>): void {
    const { partition } = event;
    const known = this.#partitions.get(partition);
    if (event.type === 'LISTED') this.#partitions.set(partition, listedPartition(event, known));
    else if (known !== undefined) change(known, event);
  }

  /** Returns a list of each partition. */
  list(): readonly ListedEvent<T>[] {
    return [...this.#partitions].map(([partition, { objects, resourceVersion }]) => ({
      type: 'LISTED',
      items: [...objects.values()],
      resourceVersion,
      ...(partition !== undefined && { partition }),
    }));
  }
}

/** Objects that the list reports as missing keep their previous state. */
function listedPartition<T extends AnyKubernetesObject>(
  { items, missing = [], resourceVersion }: ListedEvent<T>,
  known: Partition<T> | undefined,
): Partition<T> {
  const objects = new Map(items.map((object) => [objectIdentity(object), object]));
  for (const name of missing) {
    const identity = name.includes('/') ? name : `/${name}`;
    const stale = known?.objects.get(identity);
    if (stale !== undefined) objects.set(identity, stale);
  }
  return { objects, resourceVersion };
}

/** Changes the content in place, because a copy for each event costs as much as all objects. */
function change<T extends AnyKubernetesObject>(content: Partition<T>, event: WatchEvent<T>): void {
  if (event.type === 'BOOKMARK') content.resourceVersion = event.resourceVersion;
  if (!isChange(event)) return;
  const { object } = event;
  if (event.type === 'DELETED') content.objects.delete(objectIdentity(object));
  else content.objects.set(objectIdentity(object), object);
  content.resourceVersion = object.metadata?.resourceVersion ?? content.resourceVersion;
}
