import type { KubernetesObject } from '../../kubernetes/object.js';
import { createChangeFold, type ChangeFold } from '../reflector/fold-changes.js';
import { objectKey } from '../reflector/object-key.js';
import type { BookmarkEvent, ChangeEvent, ListedEvent } from '../watch-event.js';

/** Events that say what exists, or up to which version. */
export type ContentEvent<T> = ChangeEvent<T> | ListedEvent<T> | BookmarkEvent;

/** What was said while nobody was to see it yet: kept as one list per partition, in the order in which they appeared. */
export interface HeldBack<T> {
  add(event: ContentEvent<T> & { readonly partition: string }): void;
  drop(partition: string): void;
  take(): readonly ListedEvent<T>[];
}

export function createHeldBack<T>(): HeldBack<T> {
  const contents = new Map<string, Content<T>>();
  return {
    add(event) {
      const content = contents.get(event.partition);
      contents.set(event.partition, event.type === 'LISTED' ? listedContent(event) : changedContent(content, event));
    },
    drop: (partition) => void contents.delete(partition),
    take() {
      const lists = [...contents].map(([partition, content]) => asList(partition, content));
      contents.clear();
      return lists;
    },
  };
}

interface Content<T> {
  readonly fold: ChangeFold<T>;
  readonly resourceVersion: string;
}

function listedContent<T>({ items, missing = [], resourceVersion }: ListedEvent<T>): Content<T> {
  const fold = createChangeFold<T>();
  for (const object of items) fold.apply({ type: 'upsert', object });
  for (const key of missing) fold.apply({ type: 'missing', key });
  return { fold, resourceVersion };
}

function changedContent<T>(content: Content<T> | undefined, event: ChangeEvent<T> | BookmarkEvent): Content<T> {
  const { fold, resourceVersion } = content ?? { fold: createChangeFold<T>(), resourceVersion: '' };
  if (event.type === 'BOOKMARK') return { fold, resourceVersion: event.resourceVersion };
  const { object } = event;
  fold.apply(event.type === 'DELETED' ? { type: 'delete', key: objectKey(object) } : { type: 'upsert', object });
  return { fold, resourceVersion: (object as KubernetesObject).metadata?.resourceVersion ?? resourceVersion };
}

function asList<T>(partition: string, { fold, resourceVersion }: Content<T>): ListedEvent<T> {
  const missing = fold.missing();
  return { type: 'LISTED', items: fold.items(), resourceVersion, ...(missing.length > 0 && { missing }), partition };
}
