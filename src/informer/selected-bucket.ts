import { matchesLabelSelector, type LabelSelector } from '../kubernetes/selector.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { Bucket } from '../store/bucket.js';
import type { Entry } from '../store/indexing.js';
import type { IndexedSnapshot } from '../store/indexed-snapshot.js';
import type { Follower } from './live-query.js';

/**
 * The objects that a label selector matches, kept up to date from the changed keys: the store is scanned once, at the start (G10).
 */
export function selectedObjects<T>(selector: LabelSelector): () => Follower<T, readonly T[]> {
  const matches = matchesLabelSelector(selector);
  const isSelected = (entry: Entry<T>): boolean =>
    matches((entry.object as KubernetesObject | undefined)?.metadata?.labels ?? {});
  const select = (snapshot: IndexedSnapshot<T>): Bucket<T> => {
    const draft = Bucket.empty<T>().edit();
    snapshot.parts.items.forEach((entry) => {
      if (isSelected(entry)) draft.set(entry);
    });
    return draft.finish();
  };
  return () => {
    let selected = Bucket.empty<T>();
    return {
      start(snapshot, emit) {
        selected = select(snapshot);
        emit(selected.objects());
      },
      follow({ isFirst, commit }, keys, emit) {
        const next = isFirst ? select(commit.snapshot) : changed(commit.snapshot, keys);
        if (next === selected) return;
        selected = next;
        emit(selected.objects());
      },
    };

    function changed(snapshot: IndexedSnapshot<T>, keys: readonly string[]): Bucket<T> {
      const draft = selected.edit();
      for (const key of keys) {
        const entry = snapshot.entry(key);
        if (!entry || !isSelected(entry)) draft.delete(key);
        else if (draft.get(key)?.object !== entry.object) draft.set(entry);
      }
      return draft.finish();
    }
  };
}
