import type { Collection } from 'rx-informers';
import {
  asyncScheduler,
  auditTime,
  connect,
  filter,
  map,
  merge,
  pairwise,
  take,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import { facetName } from '../facets/facet-names.js';
import { valueText } from '../facets/facet-value.js';
import type { PodFilter } from '../pods/pod-filter.js';
import { countText, plainText } from '../text/text.js';

/** How the answer to a question has changed. */
export interface AnswerChange {
  readonly total: number;
  /** The keys that are in the answer now, and were not before. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/**
 * Emits when the keys of a collection have changed, after it has synced. Changes within the given
 * milliseconds are one change. Keys that came and went within this time are no change.
 */
export function answerChanges(
  collection: Collection<unknown>,
  milliseconds: number,
  scheduler: SchedulerLike = asyncScheduler,
): Observable<AnswerChange> {
  // An empty answer syncs without a new snapshot.
  const synced$ = collection.synced$.pipe(map(() => collection.snapshot));
  return merge(collection.snapshot$, synced$).pipe(
    filter(() => collection.hasSynced),
    connect((answers$) => merge(answers$.pipe(take(1)), answers$.pipe(auditTime(milliseconds, scheduler)))),
    map((snapshot) => new Set(snapshot.keys())),
    pairwise(),
    map(([before, after]) => ({
      total: after.size,
      added: [...after].filter((key) => !before.has(key)),
      removed: [...before].filter((key) => !after.has(key)),
    })),
    filter(({ added, removed }) => added.length + removed.length > 0),
  );
}

/** The number of names in a notification. More do not fit. */
const few = 3;

/** Returns the lines of a notification: the pods that are new in the answer, and those that left it. */
export function changeText({ added, removed }: AnswerChange): string {
  const line = (mark: string, keys: readonly string[]): readonly string[] => {
    if (keys.length === 0) return [];
    const names = keys.slice(0, few).map((key) => plainText(key, 80));
    const more = keys.length > few ? ` and ${countText(keys.length - few)} more` : '';
    return [`${mark} ${names.join(', ')}${more}`];
  };
  return [...line('+', added), ...line('−', removed)].join('\n');
}

/** Returns a filter in words: `Namespace shop, “worker”`. */
export function questionText({ chosen, text }: PodFilter): string {
  const parts = Object.entries(chosen).map(
    ([facet, values]) => `${facetName(facet).title} ${values.map((value) => valueText(facet, value)).join(' or ')}`,
  );
  if (text.trim() !== '') parts.push(`“${text.trim()}”`);
  return parts.length === 0 ? 'all pods' : plainText(parts.join(', '), 120);
}
