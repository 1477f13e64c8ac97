import { defer, map, merge, of, take, timer, type Observable, type SchedulerLike } from 'rxjs';
import { badRequest, expired, tooLargeResourceVersion } from '../exchange/api-error.js';
import { storageName, type ServedResource } from '../resources/catalog.js';
import type { Storage } from '../storage/storage.js';
import type { StoredObject } from '../storage/stored-object.js';
import { decodeContinueToken, encodeContinueToken, parseResourceVersion, type ListParameters } from './list-options.js';
import type { ListMeta } from './representation.js';
import type { SelectedObjects } from './selection.js';

export interface ServedPage {
  readonly items: readonly StoredObject[];
  readonly metadata: ListMeta;
}

/** How long a request for a future version waits, in milliseconds, as in the real server. */
const freshnessTimeout = 3000;

/** The version of a list, its first key, and its limit. */
interface Plan {
  /** The exact version to list; 0 means the current version. */
  readonly exactly: number;
  readonly notOlderThan: number;
  readonly start: string;
  readonly limit: number;
  /** Returns the error to throw if the history no longer contains the version. */
  readonly expired: () => Error;
}

/** Answers a LIST, by the table for `resourceVersion` in the Kubernetes API concepts. */
export function list(
  storage: Storage,
  resource: ServedResource,
  selection: SelectedObjects,
  options: ListParameters,
  scheduler: SchedulerLike,
): Observable<ServedPage> {
  return defer(() => {
    const plan = planOf(options);
    return whenReached(storage, Math.max(plan.exactly, plan.notOlderThan), scheduler).pipe(
      map(() => readPage(storage, resource, selection, plan)),
    );
  });
}

/** Emits at the version. Fails with the error 504 after `freshnessTimeout`. */
export function whenReached(storage: Storage, resourceVersion: number, scheduler: SchedulerLike): Observable<void> {
  if (resourceVersion <= storage.resourceVersion) return of(undefined);
  const late = timer(freshnessTimeout, scheduler).pipe(
    map(() => {
      throw tooLargeResourceVersion(resourceVersion, storage.resourceVersion);
    }),
  );
  return merge(storage.reached$(resourceVersion), late).pipe(take(1));
}

function planOf(options: ListParameters): Plan {
  const { resourceVersion, resourceVersionMatch: match, limit } = options;
  const version = parseResourceVersion(resourceVersion, (problem) =>
    badRequest(`invalid resource version: ${problem}`),
  );
  if (options.continue !== '') {
    const token = decodeContinueToken(options.continue);
    if (version !== 0) throw badRequest('specifying resource version is not allowed when using continue');
    return {
      exactly: Math.max(0, token.resourceVersion),
      notOlderThan: 0,
      start: token.start,
      limit: resourceVersion === '0' ? 0 : limit,
      expired: () =>
        expired(
          'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
          encodeContinueToken({ resourceVersion: -1, start: token.start }),
        ),
    };
  }
  const exact = match === 'Exact' || (match === '' && version !== 0 && limit > 0);
  return {
    exactly: exact ? version : 0,
    notOlderThan: exact ? 0 : version,
    start: '',
    // For version 0, the real server lists from its watch cache and ignores the limit.
    limit: resourceVersion === '0' ? 0 : limit,
    expired: () => expired('The resourceVersion for the provided list is too old.'),
  };
}

function readPage(storage: Storage, resource: ServedResource, selection: SelectedObjects, plan: Plan): ServedPage {
  const version = plan.exactly || storage.resourceVersion;
  const objects = storage.resource(storageName(resource));
  const start = selection.prefix + plan.start;
  const entries =
    plan.exactly === 0 ? objects.scan(selection.prefix, start) : objects.scanAt(plan.exactly, selection.prefix, start);
  if (entries === 'discarded') throw plan.expired();
  const items: StoredObject[] = [];
  let last = '';
  let scanned = 0;
  let hasMore = false;
  for (const [key, object] of entries) {
    scanned += 1;
    if (plan.limit > 0 && items.length === plan.limit) {
      hasMore = true;
      if (selection.selective) break;
      continue;
    }
    if (!selection.matches(object)) continue;
    items.push(object);
    last = key;
  }
  const resourceVersion = String(version);
  if (!hasMore) return { items, metadata: { resourceVersion } };
  const next = encodeContinueToken({ resourceVersion: version, start: `${last.slice(selection.prefix.length)}\0` });
  return {
    items,
    metadata: {
      resourceVersion,
      continue: next,
      ...(selection.selective ? {} : { remainingItemCount: scanned - plan.limit }),
    },
  };
}
