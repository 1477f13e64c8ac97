import { messageOf } from '../kubernetes/message-of.js';
import { InvalidEventError } from './source-error.js';
import type { UrgentBatch, WatchEvent } from './watch-event.js';

/**
 * Returns what a source emits as a batch. What is not a watch event, which the types forbid but a
 * source written in JavaScript can do, is replaced by an `ERROR`, so that it costs the others nothing.
 */
export function toBatch<T>(emitted: WatchEvent<T> | readonly WatchEvent<T>[]): readonly WatchEvent<T>[] {
  const batch: readonly WatchEvent<T>[] = isBatch(emitted) ? emitted : [emitted];
  if (batch.every(isWatchEvent)) return batch;
  return Array.from(batch, (event): WatchEvent<T> => {
    const problem = problemWith(event);
    return problem === undefined ? event : { type: 'ERROR', error: new InvalidEventError(event, problem) };
  });
}

/** Returns a batch made from another one, urgent if that one is. */
export function asUrgentAs<T>(
  original: readonly WatchEvent<T>[],
  batch: readonly WatchEvent<T>[],
): readonly WatchEvent<T>[] | UrgentBatch<T> {
  return 'isUrgent' in original ? Object.assign([...batch], { isUrgent: true as const }) : batch;
}

function isBatch<T>(emitted: WatchEvent<T> | readonly WatchEvent<T>[]): emitted is readonly WatchEvent<T>[] {
  return Array.isArray(emitted);
}

function isWatchEvent(event: unknown): boolean {
  return problemWith(event) === undefined;
}

function problemWith(event: unknown): string | undefined {
  try {
    return formProblemWith(event);
  } catch (cause) {
    return `reading it threw: ${messageOf(cause)}`;
  }
}

interface Fields {
  readonly type?: unknown;
  readonly items?: unknown;
  readonly status?: unknown;
  readonly error?: unknown;
}

function formProblemWith(event: unknown): string | undefined {
  if (typeof event !== 'object' || event === null) {
    return `${event === null ? 'null' : `a value of type ${typeof event}`} is no watch event`;
  }
  const { type, items, status, error } = event as Fields;
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return 'object' in event ? undefined : `${type} has no object`;
    case 'LISTED':
      return Array.isArray(items) ? undefined : 'LISTED has no array of items';
    case 'BOOKMARK':
      return undefined;
    case 'STATUS':
      return typeof status === 'object' && status !== null ? undefined : 'STATUS has no status';
    case 'ERROR':
      return typeof error === 'object' && error !== null ? undefined : 'ERROR has no error';
    default:
      return typeof type === 'string' ? `${JSON.stringify(type)} is no type of watch events` : 'it has no type';
  }
}
