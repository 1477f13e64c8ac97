import type { KeyFunction } from '../kubernetes/key.js';
import { objectKey } from '../sources/reflector/object-key.js';
import type { ListedEvent, WatchEvent } from '../sources/watch-event.js';
import type { Delta, FailedDelta, KeyedObject, ReplacedAllDelta } from './delta.js';
import { lastOfEachKey } from './last-of-each-key.js';
import { objectsPerStep, runSteps, type Steps } from './steps.js';
import { KeyError } from './store-error.js';

/**
 * Returns the deltas of one batch of watch events, in their order. Pure.
 *
 * | event | deltas |
 * | --- | --- |
 * | `ADDED` | `Added` |
 * | `MODIFIED` | `Updated` |
 * | `DELETED` | `Deleted`, with the final state that came with it |
 * | `LISTED` | one `ReplacedAll`, with the names of what is `missing` or has no key, then a `Failed` for each item without a key |
 * | `BOOKMARK` | `Bookmark` |
 * | `ERROR` | `Failed` |
 * | `STATUS` | nothing |
 * | any, and the key function throws | `Failed`, with a `KeyError` that holds object and cause (K3) |
 *
 * **Guarantees**: an object without a key costs no other object anything; of two items with one key the last counts (S2).
 * **Errors**: none thrown.
 */
export function batchToDeltas<T>(batch: readonly WatchEvent<T>[], keyOf: KeyFunction<T>): readonly Delta<T>[] {
  return runSteps(batchToDeltasInSteps(batch, keyOf));
}

/** The same, for whoever cannot wait for a long list without doing something else in between. */
export function* batchToDeltasInSteps<T>(
  batch: readonly WatchEvent<T>[],
  keyOf: KeyFunction<T>,
): Steps<readonly Delta<T>[]> {
  const deltas: Delta<T>[] = [];
  for (const event of batch) {
    // One at a time: a list may have more failures than a call may have arguments.
    for (const delta of event.type === 'LISTED' ? yield* listToDeltas(event, keyOf) : eventToDeltas(event, keyOf)) {
      deltas.push(delta);
    }
  }
  return deltas;
}

/** The deltas of one watch event, by the table of `batchToDeltas`. Pure. */
export function eventToDeltas<T>(event: WatchEvent<T>, keyOf: KeyFunction<T>): readonly Delta<T>[] {
  switch (event.type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return [changeToDelta(event, keyOf)];
    case 'LISTED':
      return runSteps(listToDeltas(event, keyOf));
    case 'BOOKMARK':
      return [{ type: 'Bookmark', resourceVersion: event.resourceVersion, ...partitionOf(event) }];
    case 'ERROR':
      return [{ type: 'Failed', error: event.error }];
    case 'STATUS':
      return [];
    default:
      event satisfies never;
      return [];
  }
}

function changeToDelta<T>(event: Extract<WatchEvent<T>, { readonly object: T }>, keyOf: KeyFunction<T>): Delta<T> {
  const { object } = event;
  const key = keyOrFailure(object, event.partition, keyOf);
  if (typeof key !== 'string') return key;
  switch (event.type) {
    case 'ADDED':
      return { type: 'Added', key, object, ...partitionOf(event) };
    case 'MODIFIED':
      return { type: 'Updated', key, object, ...partitionOf(event) };
    case 'DELETED':
      return { type: 'Deleted', key, object, finalStateUnknown: false, ...partitionOf(event) };
  }
}

function* listToDeltas<T>(event: ListedEvent<T>, keyOf: KeyFunction<T>): Steps<readonly Delta<T>[]> {
  const items: KeyedObject<T>[] = [];
  const failures: FailedDelta[] = [];
  const missing = [...(event.missing ?? [])];
  let count = 0;
  for (const object of event.items) {
    const key = keyOrFailure(object, event.partition, keyOf);
    if (typeof key === 'string') items.push({ key, object });
    else {
      failures.push(key);
      const name = objectKey(object);
      if (name !== undefined) missing.push(name);
    }
    if (++count % objectsPerStep === 0) yield;
  }
  const list: ReplacedAllDelta<T> = {
    type: 'ReplacedAll',
    items: lastOfEachKey(items),
    resourceVersion: event.resourceVersion,
    ...(missing.length > 0 && { missing }),
    ...partitionOf(event),
  };
  return [list, ...failures];
}

function keyOrFailure<T>(object: T, partition: string | undefined, keyOf: KeyFunction<T>): string | FailedDelta {
  try {
    const key: unknown = keyOf(object, partition);
    if (typeof key === 'string' && key !== '') return key;
    const given = key === '' ? 'an empty string' : key === null ? 'null' : `a value of type ${typeof key}`;
    throw new TypeError(`the key function gave ${given} instead of a key`);
  } catch (error) {
    return { type: 'Failed', error: new KeyError(object, error) };
  }
}

/** Left out where there is none, so that deltas of a single source stay small and compare equal. */
function partitionOf({ partition }: { readonly partition?: string }): { readonly partition?: string } {
  return partition === undefined ? {} : { partition };
}
