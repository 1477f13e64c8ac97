import { metaNamespaceKey } from '../../kubernetes/key.js';
import type { KubernetesObject } from '../../kubernetes/object.js';
import type { WatchEvent } from '../../sources/watch-event.js';

/** What somebody holds who believes everything that a source says, and what he could not believe. */
export class FollowedEvents<T extends KubernetesObject> {
  readonly complaints: string[] = [];
  /** Each object that was handed out, and how it looked then. */
  readonly texts = new Map<T, string>();
  readonly #held = new Map<string, { readonly object: T; readonly partition: string | undefined }>();
  readonly #listed = new Set<string | undefined>();

  get hasListed(): boolean {
    return this.#listed.size > 0;
  }

  objects(): readonly T[] {
    return [...this.#held.values()].map(({ object }) => object);
  }

  take(batch: readonly WatchEvent<T>[]): void {
    for (const event of batch) this.#takeOne(event);
  }

  #takeOne(event: WatchEvent<T>): void {
    const { partition } = event;
    switch (event.type) {
      case 'LISTED': {
        this.#listed.add(partition);
        const missing = new Set(event.missing);
        for (const [key, held] of this.#held)
          if (held.partition === partition && !missing.has(key)) this.#held.delete(key);
        const keys = event.items.map((object) => this.#keep(object, partition));
        if (new Set(keys).size < keys.length) this.complaints.push(`LISTED names an object twice: ${keys.join(' ')}`);
        if (typeof event.resourceVersion !== 'string') this.complaints.push('LISTED without a resourceVersion');
        return;
      }
      case 'ADDED':
      case 'MODIFIED':
      case 'DELETED':
        if (!this.#listed.has(partition)) this.complaints.push(`${event.type} before the state that it changes`);
        if (event.type === 'DELETED') this.#held.delete(this.#keyOf(event.object, partition));
        else this.#keep(event.object, partition);
        return;
      case 'BOOKMARK':
        if (typeof event.resourceVersion !== 'string') this.complaints.push('BOOKMARK without a resourceVersion');
        return;
      case 'ERROR':
        if (!(event.error instanceof Error)) this.complaints.push('ERROR without an Error');
        return;
      case 'STATUS':
        if (typeof event.status.state !== 'string') this.complaints.push('STATUS without a state');
        return;
    }
    this.complaints.push(`no event of a source: ${JSON.stringify(event satisfies never)}`);
  }

  #keep(object: T, partition: string | undefined): string {
    const key = this.#keyOf(object, partition);
    this.texts.set(object, JSON.stringify(object));
    // What cannot be identified was complained about.
    if (key !== '') this.#held.set(key, { object, partition });
    return key;
  }

  #keyOf(object: T, partition: string | undefined): string {
    try {
      return partition === undefined ? metaNamespaceKey(object) : `${partition}|${metaNamespaceKey(object)}`;
    } catch (error) {
      this.complaints.push(`an object without a key: ${String(error)}`);
      return '';
    }
  }
}
