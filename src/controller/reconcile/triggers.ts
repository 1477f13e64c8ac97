import { catchError, defer, EMPTY, merge, retry, timer, type Observable, type SchedulerLike } from 'rxjs';
import { kindOf } from '../../kubernetes/kind-of.js';
import type { KubernetesObject } from '../../kubernetes/object.js';
import type { Change, ChangeReason, ChangeSet } from '../../store/change.js';
import { defaultPriority, lowPriority } from '../queue/priority.js';
import { mapInSlices } from '../workqueue/map-in-slices.js';
import type { KeyRequest } from '../workqueue/queue-input.js';
import { mappedKeys, type FoundKeys } from './mapped-keys.js';
import { changedVersion, type ChangedVersion } from './own-writes.js';
import { ownerKeys, type Owners } from './owner-keys.js';
import type { TriggerFailed } from './reconcile-event.js';
import { reasonText, type ReasonText, type ReconcileReason } from './reconcile-reason.js';
import type { CollectionSource, Sources, WatchedValues } from './sources.js';
import { versionsOf } from './versions-of.js';

/** A key that shall be reconciled, and why. */
export interface Trigger extends KeyRequest<string, ReasonText> {
  /** The version that led here, if it came through a watch; a list or a resync may stand for more than one change. */
  readonly version?: ChangedVersion | undefined;
}

/** What carries the triggers. */
export interface TriggersContext {
  readonly report: (failed: TriggerFailed) => void;
  readonly scheduler: SchedulerLike;
}

/** The wait before a collection is followed again whose `through` has failed. */
const waitAfterFailure = 1_000;

/** Everything that leads to a key, from all sources; what fails is reported, and the rest goes on. */
export function triggers<T>(
  { primary, owned, watched, external }: Sources<T>,
  context: TriggersContext,
): Observable<Trigger> {
  const owners: Owners = {
    resource: primary.collection.resource,
    get: (key) => primary.collection.snapshot.get(key) as KubernetesObject | undefined,
  };
  return merge(
    ofCollection(primary, context, {
      keysOf: ({ key }) => ({ keys: [key], errors: [] }),
      reasonOf: ({ type }, because) => ({ type: 'primary', change: type, because }),
    }),
    ...owned.map((source) =>
      ofCollection(source, context, {
        keysOf: (change) => mappedKeys(versionsOf(change), (object) => ownerKeys(object, owners, source)),
        reasonOf: ({ type, key, object }, because) => {
          const { kind } = kindOf(object, source.collection.resource);
          return { type: 'owned', kind, key, change: type, because };
        },
      }),
    ),
    ...watched.map((source) =>
      ofCollection(source, context, {
        keysOf: (change) => mappedKeys(versionsOf(change), source.map),
        reasonOf: ({ type, key, object }, because) => {
          const { kind } = kindOf(object as KubernetesObject, source.collection.resource);
          return { type: 'watched', kind, key, change: type, because };
        },
      }),
    ),
    ...external.map((source) => ofValues(source, context)),
  );
}

interface Mapping<T> {
  readonly keysOf: (change: Change<T>) => FoundKeys;
  readonly reasonOf: (change: Change<T>, because: ChangeReason) => ReconcileReason;
}

function ofCollection<T>(
  { trigger, collection, through }: CollectionSource<T>,
  { report, scheduler }: TriggersContext,
  { keysOf, reasonOf }: Mapping<T>,
): Observable<Trigger> {
  function* requestsOf({ reason: because, changes }: ChangeSet<T>): Iterable<Trigger | undefined> {
    const priority = because === 'initial' || because === 'resync' ? lowPriority : defaultPriority;
    for (const change of changes) {
      const { keys, errors } = keysOf(change);
      for (const error of errors)
        report({ type: 'trigger-failed', trigger, key: change.key, error, outcome: 'skipped' });
      // What leads nowhere is a piece of work too.
      if (keys.length === 0) yield undefined;
      else {
        const reason = reasonText(reasonOf(change, because));
        const version = because === 'watch' ? changedVersion(change.object, change.type === 'deleted') : undefined;
        for (const key of keys) yield { key, priority, reason, version };
      }
    }
  }
  return defer(() => collection.changes$.pipe(through)).pipe(
    mapInSlices(requestsOf, scheduler),
    retry({
      delay: (error: unknown) => {
        report({ type: 'trigger-failed', trigger, key: undefined, error, outcome: 'resubscribing' });
        return timer(waitAfterFailure, scheduler);
      },
    }),
  );
}

function ofValues(
  { trigger, values$, map: toKeys }: WatchedValues,
  { report, scheduler }: TriggersContext,
): Observable<Trigger> {
  const failed = (error: unknown, outcome: TriggerFailed['outcome']): void => {
    report({ type: 'trigger-failed', trigger, key: undefined, error, outcome });
  };
  const reason = reasonText({ type: 'external', trigger });
  return values$.pipe(
    mapInSlices(function* (value): Iterable<Trigger> {
      const { keys, errors } = mappedKeys([value], toKeys);
      for (const error of errors) failed(error, 'skipped');
      for (const key of keys) yield { key, priority: defaultPriority, reason };
    }, scheduler),
    catchError((error: unknown) => {
      failed(error, 'ended');
      return EMPTY;
    }),
  );
}
