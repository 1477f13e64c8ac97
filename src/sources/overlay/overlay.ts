import {
  dematerialize,
  materialize,
  Observable,
  startWith,
  Subject,
  switchMap,
  takeUntil,
  type SchedulerLike,
} from 'rxjs';
import { invalidOptionError } from '../../kubernetes/errors.js';
import { dropManagedFields } from '../../kubernetes/object.js';
import { maxTimer, steady } from '../../scheduling/clock.js';
import { runProtocol } from '../../scheduling/run-protocol.js';
import {
  batchesOf,
  commonFacts,
  sourceWith,
  type KnownObjects,
  type ResourceSource,
  type Source,
} from '../model/source.js';
import type { WatchEventBatch } from '../model/watch-event.js';
import { ShownAttempts, type Attempt } from './attempts.js';
import { stateOfWrites, shownWrite, supersedes, writeId, type Input, type State, type Write } from './protocol.js';
import { step, type Effect } from './step.js';

/** Options of `show`, `showDeleted` and `attempt`. */
export interface ShowOptions {
  /**
   * The partition of a merged source that the object belongs to (see `mergeSources`). Default: none
   * if the source is not merged, otherwise the partition with the name of the object's namespace,
   * as in `listWatch` of several namespaces. An object of a partition that does not exist is not
   * shown.
   */
  readonly partition?: string | undefined;
}

/** A source that shows writes to the API server before the watch reports them. */
export interface OverlaidSource<T> extends ResourceSource<T> {
  /**
   * Emits the object of the response to a write, synchronously, to all subscribers: the write is
   * visible when the call returns, even in a callback. An informer that is applying a long list in
   * slices finishes it first, which may take some hundred milliseconds for 100,000 objects.
   *
   * @throws `RXI_INVALID_OBJECT` for an object without a name
   * @throws `RXI_UNVERSIONED_OBJECT` for an object without a resourceVersion
   */
  show(object: T, options?: ShowOptions): void;
  /**
   * Hides an object that the API server has deleted, until the watch reports the deletion. A new
   * object of the same name is shown when it arrives. An object with finalizers or a grace period
   * is only marked for deletion, so it is shown again when the TTL expires. For such an object,
   * call `show` with the response, unless it should disappear at once.
   *
   * @param object the object in any version, with its uid; an object that `show` refuses throws the
   *   same error
   */
  showDeleted(object: T, options?: ShowOptions): void;
  /**
   * Shows a change before the API server has responded (an optimistic update), until the returned
   * function is called.
   *
   * If the watch reports a newer version meanwhile, the change is applied to that version. If the
   * watch reports a deletion, the object is deleted. If the write succeeds, call `show` with the
   * response, then the returned function. If the write fails, call only the returned function.
   * Several attempts at one object are applied in order. Without attempts, this costs nothing.
   *
   * **Guarantees**: after the attempt has ended, the object is shown as the watch or a response
   * last reported it.
   * **Does not guarantee**: that a subscriber other than an informer sees the change before the
   * next event of the object, because only an informer tells the overlay which objects it holds.
   *
   * @param key `namespace/name`, or `name`
   * @param change returns the changed object, with the same name. It is called for each version of
   *   the object that the watch reports. If it throws or returns the object itself, that version is
   *   shown unchanged. A changed object is shown without a resourceVersion, because the API server
   *   has not assigned one yet
   * @returns a function that ends the attempt; further calls do nothing
   * @example
   * import {
   *   configMaps,
   *   informer,
   *   listWatch,
   *   type ConfigMap,
   *   type KubeClient,
   * } from 'rx-informers';
   * import { overlay } from 'rx-informers/controller';
   * import { resourceClient } from 'rx-informers/requests';
   *
   * declare const client: KubeClient;
   * const source = overlay(listWatch(client, configMaps));
   * const settings = informer(source);
   *
   * settings.connect();
   * const end = source.attempt('web/settings', (object: ConfigMap) => ({
   *   ...object,
   *   data: { mode: 'dark' },
   * }));
   * try {
   *   source.show(
   *     await resourceClient(client, configMaps).patch('web/settings', { data: { mode: 'dark' } }),
   *   );
   * } finally {
   *   end();
   * }
   */
  attempt(key: string, change: (object: T) => T, options?: ShowOptions): () => void;
}

/** Options of `overlay`. */
export interface OverlayOptions<T> {
  /**
   * The time in milliseconds for which a write is shown if the watch does not report it. Default
   * 300,000, as in client-go. If this time is too short and the watch is slow, a view goes back to
   * the state before the write. If versions cannot be compared, a write that the watch never
   * reports is shown for the whole time.
   */
  readonly ttl?: number | undefined;
  /**
   * The largest number of writes that the watch has not reported yet. Default 1000. Above that, a
   * new write is not shown before the watch reports it. A higher limit costs memory, and hides for
   * longer that a watch is far behind.
   */
  readonly limit?: number | undefined;
  /**
   * Returns true if the source can deliver this object. Other objects are not shown. Default:
   * accepts all objects. Without this function, a written object outside the source's selector or
   * namespaces is shown until the watch has passed its version. Test the selector here if views
   * must not show such objects.
   */
  readonly accepts?: ((object: T) => boolean) | undefined;
  /**
   * Transforms the objects of responses. Use the same function as in `listWatch`. Default
   * `dropManagedFields`, as in `listWatch`.
   */
  readonly transform?: ((object: T) => T) | undefined;
  /**
   * Returns the object that subscribers hold under a key of `metaNamespaceKey`; `attempt` applies
   * its changes to it. Default: asks the informer that reads from this source. An informer with a
   * `keyOf` of its own cannot answer. Set this option for such an informer. Otherwise it shows an
   * attempt only after the next event of the object.
   */
  readonly held?: { get(key: string, partition?: string): T | undefined } | undefined;
  /** The clock. Default: the clock of the source, otherwise `asyncScheduler`. */
  readonly scheduler?: SchedulerLike | undefined;
}

/**
 * Creates a source that shows the API server's answer to a write until the watch reports it, so
 * every view reads its own writes.
 *
 * | in | out |
 * | --- | --- |
 * | `show(object)` | `MODIFIED` with the object, at once; nothing if the watch has passed the
 * object's version, or if a later version is shown |
 * | `attempt(key, change)` | `MODIFIED` with the changed object, at once; when the attempt ends,
 * `MODIFIED` with the object without the change |
 * | `showDeleted(object)` | `DELETED` with the object, at once; nothing if the watch has reported
 * the deletion |
 * | an event older than the shown object, or of a hidden object | a `BOOKMARK` at the end of the
 * batch; the event is held back |
 * | an event of the same version as the shown object, or of a newer version, or its deletion | the
 * event; the overlay of this object ends |
 * | a list that is older than the shown object | the list with the shown object |
 * | a list that is older than a deletion | the list without the deleted object; events of the
 * object are held back until the deletion |
 * | a list of the same version as the shown object, or of a newer version | the list; the overlay
 * of this object ends |
 * | the watch passes the version of the write without an event of the object | the event that was
 * held back, if any; otherwise `DELETED`, because the source does not follow the object |
 * | the TTL expires | the event that was held back, if any; otherwise the source is subscribed to
 * again, for a list |
 * | a write before the first list | nothing until the first list |
 * | every other event | the same event, in the same order |
 *
 * Each injected event is followed by a `BOOKMARK` of the version that the watch has reached, so
 * that no subscriber assumes a later version. A later subscriber also sees the writes within the
 * TTL that its list does not have yet. Rule H4: this replaces client-go's MutationCache, which can
 * disagree with the store and its indexes. With `overlay`, the write goes through the store, and
 * all streams show it in one commit.
 *
 * **Guarantees**: until the TTL expires, a view never goes back to an older version of an object,
 * and a deleted object does not come back. This holds as long as the source's lists do not go back.
 * If a list goes back, the guarantee holds only for writes that the watch has not reached. All
 * subscribers see the same writes. Unsubscribing clears the timer and unsubscribes from the source.
 * **Does not guarantee**: any of these guarantees if versions are not integers
 * (`compareResourceVersions`). Then the next event of the watch for an object ends its overlay,
 * regardless of its version.
 * **Errors**: errors and completion of the source are passed on; `RXI_INVALID_OPTION` for an
 * invalid `ttl` or `limit`.
 *
 * @param source the source that confirms the writes
 * @param options how long a write is shown, and the clock; see {@link OverlayOptions}
 * @returns a source for `informer`, with `show`, `showDeleted` and `attempt`
 * @example
 * import { configMaps, informer, listWatch, type KubeClient } from 'rx-informers';
 * import { overlay } from 'rx-informers/controller';
 * import { resourceClient } from 'rx-informers/requests';
 *
 * declare const client: KubeClient;
 * const source = overlay(listWatch(client, configMaps));
 * const settings = informer(source);
 *
 * settings.connect();
 * source.show(
 *   await resourceClient(client, configMaps).patch('web/settings', { data: { mode: 'dark' } }),
 * );
 * console.log(settings.get('web/settings')?.data?.['mode']); // dark
 */
export function overlay<T>(source: Source<T>, options: OverlayOptions<T> = {}): OverlaidSource<T> {
  const { accepts = () => true, transform = dropManagedFields } = options;
  const { selection, clientOf, contact } = source;
  const facts = { ...commonFacts([source]), selection, clientOf, contact };
  const scheduler = steady(options.scheduler ?? facts.scheduler);
  const ttl = checked('ttl', options.ttl ?? 300_000, maxTimer, `above 0 ms and at most ${maxTimer} ms`);
  const limit = checked('limit', options.limit ?? 1000, Infinity, 'above 0');
  const runs = new Set<(write: Write<T>) => void>();
  const written = new Map<string, Write<T>>();

  function write(type: Write<T>['type'], object: T, { partition }: ShowOptions): void {
    const next = shownWrite(type, object, { partition, expiresAt: scheduler.now() + ttl });
    const id = writeId(next.key, partition);
    forgetExpired(written, scheduler.now());
    const existing = written.get(id);
    if (existing === undefined || supersedes(next, existing)) {
      written.delete(id);
      written.set(id, next);
      for (const oldest of written.keys()) {
        if (written.size <= limit) break;
        written.delete(oldest);
      }
    }
    for (const show of [...runs]) show(next);
  }

  const attempts = new Set<Attempt<T>>();
  const attempted = new Set<(attempt: Attempt<T>) => void>();

  function attempt(key: string, change: (object: T) => T, { partition }: ShowOptions = {}): () => void {
    const current: Attempt<T> = { key, partition, change };
    attempts.add(current);
    for (const show of [...attempted]) show(current);
    return () => {
      if (!attempts.delete(current)) return;
      for (const show of [...attempted]) show(current);
    };
  }

  const overlaidFor = (known?: KnownObjects<T>) =>
    new Observable<WatchEventBatch<T>>((subscriber) => {
      forgetExpired(written, scheduler.now());
      const relist$ = new Subject<void>();
      const left$ = new Subject<void>();
      const protocol = runProtocol<State<T>, Input<T>, Effect<T>>({
        initial: stateOfWrites(written),
        step: (state, input) => step(state, input, limit),
        carryOut: (effect) => {
          if (effect.type === 'emit') subscriber.next(shown.pass(effect.batch));
          else relist$.next();
        },
        alarm: ({ entries }) => {
          const [first] = entries.values();
          return first && { at: first.write.expiresAt, input: { type: 'expired', at: scheduler.now() } };
        },
        scheduler,
        // If a subscriber writes during a batch, its write is visible when `show` returns.
        isNested: true,
      });
      const shown = new ShownAttempts(attempts, known ?? options.held, (partition) =>
        protocol.state.reached.get(partition),
      );
      const showAttempt = (of: Attempt<T>): void => {
        const before = shown.beforeChanged(of);
        if (before !== undefined) subscriber.next([before]);
        const batch = shown.changed(of);
        if (batch.length > 0) subscriber.next(batch);
      };
      attempted.add(showAttempt);
      const show = (next: Write<T>): void => {
        protocol.feed({ type: 'write', write: next });
      };
      runs.add(show);
      subscriber.add(() => {
        runs.delete(show);
        attempted.delete(showAttempt);
        protocol.unsubscribe();
        // This also stops a source that emits during `subscribe`.
        left$.next();
      });
      // `relist$` subscribes to the source again, for a new list. When the source itself ends,
      // everything ends.
      const batches$ = relist$.pipe(
        startWith(undefined),
        switchMap(() => batchesOf(source).pipe(materialize())),
        dematerialize(),
        takeUntil(left$),
      );
      batches$.subscribe({
        next: (batch) => {
          protocol.feed({ type: 'batch', batch });
        },
        error: (error: unknown) => {
          subscriber.error(error);
        },
        complete: () => {
          subscriber.complete();
        },
      });
    });

  // `known` is not passed on: it may hold responses to writes, which the source did not deliver.
  const withKnownObjects = (known: KnownObjects<unknown>): Source<T> =>
    sourceWith(overlaidFor(known as KnownObjects<T>), facts);
  return Object.assign(sourceWith(overlaidFor(), { ...facts, withKnownObjects }), {
    attempt,
    show: (object: T, where: ShowOptions = {}) => {
      const transformed = transform(object);
      if (accepts(transformed)) write('shown', transformed, where);
    },
    showDeleted: (object: T, where: ShowOptions = {}) => {
      write('deleted', transform(object), where);
    },
  });
}

function checked(option: string, value: number, longest: number, expected: string): number {
  if (value > 0 && value <= longest) return value;
  throw invalidOptionError(option, value, expected);
}

/** Removes expired writes. All writes have the same TTL, so the oldest writes expire first. */
function forgetExpired<T>(written: Map<string, Write<T>>, now: number): void {
  for (const [id, { expiresAt }] of written) {
    if (expiresAt > now) return;
    written.delete(id);
  }
}
