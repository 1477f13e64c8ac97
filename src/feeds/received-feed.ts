import { isRxInformersError } from '../kubernetes/errors.js';
import { metaNamespaceKey } from '../kubernetes/keys.js';
import { resourceVersionOf, type KubernetesObject } from '../kubernetes/object.js';
import { shareStructure, shareStructureInPlace } from '../kubernetes/share-structure.js';
import { type SourceError } from '../sources/model/errors.js';
import type { SourceStatus, WatchEvent } from '../sources/model/watch-event.js';
import { readRecordedError, type RecordedError } from '../sources/recording/recording-format.js';
import { checkedTransform } from '../sources/reflector/object-decoder.js';
import type { FeedEntry, FeedMessage, PartMessage, PartsEnd } from './feed-messages.js';

/** Options for the objects that a page receives. */
export interface ReceiveOptions<T> {
  /** Default: none. Then objects share unchanged parts with their previous version. */
  readonly transform: ((object: never) => T) | undefined;
  readonly shareAcrossObjects: boolean;
}

/**
 * Turns the messages of one feed into the events of a source.
 *
 * | change set | events, in one batch |
 * | --- | --- |
 * | the first content | `STATUS` with the progress, then `LISTED` |
 * | a relist | the observed deletions, then `LISTED` with all objects; a store infers the other deletions from this list |
 * | changes of the watch | these changes, then `BOOKMARK` |
 *
 * Keeps a reference to each received object, because later messages contain only differences.
 */
export class ReceivedFeed<T> {
  readonly #objects = new Map<string, T>();
  /** The keys of the objects for which `transform` failed. */
  readonly #failed = new Set<string>();
  #changes: WatchEvent<T>[] = [];
  #errors: WatchEvent<T>[] = [];
  /** Keys whose deletion was inferred, unless a new object has followed. */
  readonly #inferred = new Set<string>();
  #count = 0;
  /** The last received error. */
  #error: { readonly text: string; readonly error: SourceError } | undefined;
  /** True once the first content is complete. From then on, only the worker reports a status. */
  #hasContent = false;
  #last: T | undefined;

  constructor(private readonly options: ReceiveOptions<T>) {}

  /**
   * Returns the version of each object by key. The version is `''` for an object whose `transform`
   * has failed or has removed the version.
   */
  versions(): readonly (readonly [key: string, resourceVersion: string])[] {
    const keys = new Set([...this.#objects.keys(), ...this.#failed]);
    return Array.from(keys, (key) => {
      const object = this.#failed.has(key) ? undefined : (this.#objects.get(key) as KubernetesObject | undefined);
      return [key, (object && resourceVersionOf(object)) ?? ''];
    });
  }

  /** Converts a message to events. */
  take(message: FeedMessage): readonly WatchEvent<T>[] {
    switch (message.type) {
      case 'part':
        return this.#takePart(message);
      case 'heard':
        if (message.resourceVersion === undefined) return [];
        return [{ type: 'BOOKMARK', resourceVersion: message.resourceVersion }];
      case 'status':
        return [{ type: 'STATUS', status: this.#statusOf(message.text) }];
      case 'error':
        this.#error = { text: message.text, error: readRecordedError(JSON.parse(message.text) as RecordedError) };
        return [{ type: 'ERROR', error: this.#error.error }];
    }
  }

  #takePart({ text, total, end }: PartMessage): readonly WatchEvent<T>[] {
    const entries = JSON.parse(text) as readonly FeedEntry[];
    for (const entry of entries) this.#takeEntry(entry);
    this.#count += entries.length;
    if (end !== undefined) return this.#finish(end);
    if (this.#hasContent) return [];
    const status: SourceStatus = { state: 'listing', by: 'stream', received: this.#count, expected: total };
    return [{ type: 'STATUS', status }];
  }

  #takeEntry(entry: FeedEntry): void {
    if ('deleted' in entry) this.#delete(entry);
    else if ('object' in entry) this.#keep(metaNamespaceKey(entry.object), entry.object);
    else this.#keep(entry.key, this.#patched(entry));
  }

  #delete({ deleted: key, object }: Extract<FeedEntry, { readonly deleted: string }>): void {
    const current = this.#objects.get(key);
    this.#objects.delete(key);
    if (object === undefined) {
      this.#failed.delete(key);
      this.#inferred.add(key);
      return;
    }
    const last = this.#transformed(key, object) ?? current;
    // The object does not exist any more, even if `transform` has just failed for its final state.
    this.#failed.delete(key);
    if (last !== undefined) this.#changes.push({ type: 'DELETED', object: last });
  }

  #keep(key: string, received: object): void {
    this.#inferred.delete(key);
    const transformed = this.#transformed(key, received);
    if (transformed === undefined) return;
    const object = this.options.shareAcrossObjects ? this.#shared(transformed) : transformed;
    this.#objects.set(key, object);
    this.#changes.push({ type: 'MODIFIED', object });
  }

  #patched({ key, fields, removed = [] }: Extract<FeedEntry, { readonly fields: object }>): object {
    const previous = this.#objects.get(key) as Readonly<Record<string, unknown>> | undefined;
    if (previous === undefined)
      throw new Error(`the shared worker sent a change of ${key}, an object that it has not sent before`);
    // Not assigned one by one: assigning `__proto__` would replace the prototype.
    const changed = Object.entries(fields).map(([name, value]): [string, unknown] => [
      name,
      Object.hasOwn(previous, name) ? shareStructureInPlace(previous[name], value) : value,
    ]);
    const next: Record<string, unknown> = { ...previous, ...Object.fromEntries(changed) };
    for (const field of removed) delete next[field];
    return next;
  }

  /** Returns the object to store; `undefined` if `transform` failed. */
  #transformed(key: string, object: object): T | undefined {
    const { transform } = this.options;
    if (transform === undefined) return object as T;
    try {
      const transformed = checkedTransform(transform, object as KubernetesObject);
      this.#failed.delete(key);
      return transformed;
    } catch (error) {
      if (!isRxInformersError(error, 'RXI_TRANSFORM')) throw error;
      this.#failed.add(key);
      this.#errors.push({ type: 'ERROR', error });
      return undefined;
    }
  }

  /** Consecutive objects often belong to the same workload and have many equal parts. */
  #shared(next: T): T {
    const previous = this.#last;
    this.#last = next;
    if (previous === undefined) return next;
    return this.options.transform === undefined
      ? shareStructureInPlace(previous, next)
      : shareStructure(previous, next);
  }

  #finish({ reason, resourceVersion, status }: PartsEnd): readonly WatchEvent<T>[] {
    const changes = this.#changes;
    const events: WatchEvent<T>[] = this.#errors;
    const isList = reason === 'initial' || reason === 'relist' || this.#inferred.size > 0;
    if (isList) {
      const missing = [...this.#failed].filter((key) => !this.#objects.has(key));
      events.push(...changes.filter(({ type }) => type === 'DELETED'), {
        type: 'LISTED',
        items: [...this.#objects.values()],
        resourceVersion,
        ...(missing.length > 0 && { missing }),
      });
    } else {
      for (const change of changes) events.push(change);
      events.push({ type: 'BOOKMARK', resourceVersion });
    }
    if (status !== undefined) events.push({ type: 'STATUS', status: this.#statusOf(status) });
    this.#hasContent = true;
    this.#changes = [];
    this.#errors = [];
    this.#inferred.clear();
    this.#count = 0;
    this.#last = undefined;
    return events;
  }

  /** Decodes a status. Its cause is the error that was received before, if they are equal. */
  #statusOf(text: string): SourceStatus {
    const { cause, ...status } = JSON.parse(text) as Record<string, unknown>;
    if (cause === undefined) return status as unknown as SourceStatus;
    const isLast = JSON.stringify(cause) === this.#error?.text;
    return {
      ...status,
      cause: isLast ? this.#error?.error : readRecordedError(cause as RecordedError),
    } as SourceStatus;
  }
}
