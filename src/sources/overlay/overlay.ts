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
import { dropManagedFields } from '../../kubernetes/object.js';
import { longestTimer, steady } from '../../time/clock.js';
import { runProtocol } from '../../time/run-protocol.js';
import { InvalidOptionError } from '../model/errors.js';
import { factsOf, withFacts, type Source } from '../model/source.js';
import { toBatch, type WatchEventBatch } from '../model/watch-event.js';
import { initialState, writeOf, supersedes, writeId, type Input, type State, type Write } from './protocol.js';
import { step, type Effect } from './step.js';

/** Says which merged source a written object belongs to. */
export interface ShowOptions {
  /**
   * The name of the merged source (see `mergeSources`). Default: none where the source is one on its own, otherwise the one that is named like
   * the object's namespace, as `listWatch` names those of several namespaces. An object of a partition that does not exist is not shown.
   */
  readonly partition?: string | undefined;
}

/** A source that shows what was written to the API server before the watch says it. */
export interface OverlaidSource<T> extends Observable<WatchEventBatch<T>> {
  /**
   * Shows an object as the API server answered a write, at once, to all subscribers. An informer that is applying a long list in
   * slices finishes the list first, which may take some hundred milliseconds for 100,000 objects.
   *
   * A subscriber that calls it from its own callback sees the write when the call returns.
   *
   * @throws InvalidObjectError for an object without a name
   * @throws UnversionedObjectError for an object without a resourceVersion
   */
  show(object: T, options?: ShowOptions): void;
  /**
   * Hides an object that the API server has deleted, until the watch says so; another one of the same name is shown when it comes.
   *
   * An object that a delete has only marked, because it has finalizers or a grace period, is shown again when the time of the overlay is over:
   * `show` the server's answer instead, unless it is to look gone at once.
   *
   * @param object in any version, with its uid; errors as of `show`
   */
  showDeleted(object: T, options?: ShowOptions): void;
}

/** Options of `overlay`. */
export interface OverlayOptions<T> {
  /**
   * For how long a write is shown that the watch does not say, in milliseconds; default 300,000, client-go's. Shorter, and a slow
   * watch makes a view go back to what was before; longer, and what the watch will never say is shown longer where versions cannot be compared.
   */
  readonly ttl?: number | undefined;
  /**
   * How many writes are remembered; default 1000. A write that finds so many which the watch has not said yet is not shown; the watch will
   * show it. More costs memory, and that a watch which is far behind is hidden.
   */
  readonly limit?: number | undefined;
  /**
   * Whether the source would ever say this object; one that it would not is not shown. Default: every one. An object outside the source's
   * selector or namespaces is then seen until the watch has passed its version: name the selector here where views must not see it.
   */
  readonly accepts?: ((object: T) => boolean) | undefined;
  /** What `listWatch` does to its objects, to be done to the server's answers too; default the same, `dropManagedFields`. */
  readonly transform?: ((object: T) => T) | undefined;
  /** The clock. Default: the clock of the source, otherwise `asyncScheduler`. */
  readonly scheduler?: SchedulerLike | undefined;
}

/**
 * Creates a source that shows what the API server answered to a write until the watch does: read your own writes in every view.
 *
 * | in | out |
 * | --- | --- |
 * | `show(answer)` | `MODIFIED` with it, at once; nothing where the watch has passed its version, or a later one is shown |
 * | `showDeleted(object)` | `DELETED` with it, at once; nothing where the watch has seen it go |
 * | an event older than what is shown, or of what is deleted | a `BOOKMARK` at the end of the batch; the event is remembered |
 * | one that is as new, or newer; the deletion | the event; the overlay of this object ends |
 * | a list that is older than what is shown | the list, with it |
 * | one that is older than a deletion | the list without the deleted object, and without its events until the deletion |
 * | one that is as new, or newer | the list; the overlay ends |
 * | the watch passes the version without an event of the object | `DELETED`: the source does not follow it; or what was held back |
 * | the time is over | what was held back; nothing was: the source is subscribed to again, for a list |
 * | before the first list | nothing, until it comes |
 * | everything else | the same, in its order |
 *
 * Each injected event stands before a `BOOKMARK` of the version that the watch has really reached, so that no subscriber takes it for
 * further.
 * A subscriber that comes later starts with what was shown within the time, where the list does not have it yet. Rule H4: client-go's
 * MutationCache, with which a store and its indexes disagree; here the write goes through the store, and all streams show it in one commit.
 *
 * **Guarantees**: until its time is over, a view never goes from a version of an object to an older one, nor does an object come back that
 * it showed as deleted, as long as the source's lists do not go back. Where they do, this holds for writes that the watch has not reached;
 * all subscribers are shown the same writes; unsubscribing clears the timer and leaves the source.
 * **Does not guarantee**: that where versions are not integers (`compareResourceVersions`): there the next word of the watch on an object
 * counts, whatever its version.
 * **Errors**: those of the source are passed on, and so is completion; `InvalidOptionError` for senseless numbers.
 *
 * @example
 * import { configMaps, informer, listWatch, type KubeClient } from 'rx-informers';
 * import { overlay, resourceClient } from 'rx-informers/controller';
 *
 * declare const client: KubeClient;
 * const source = overlay(listWatch(client, configMaps));
 * const settings = informer(source);
 *
 * settings.connect();
 * source.show(await resourceClient(client, configMaps).patch('web/settings', { data: { mode: 'dark' } }));
 * console.log(settings.get('web/settings')?.data?.['mode']); // dark
 */
export function overlay<T>(source: Source<T>, options: OverlayOptions<T> = {}): OverlaidSource<T> {
  const { accepts = () => true, transform = dropManagedFields } = options;
  const facts = factsOf(source);
  const scheduler = steady(options.scheduler ?? facts.scheduler);
  const ttl = checked('ttl', options.ttl ?? 300_000, longestTimer, 'milliseconds a timer can wait for, more than 0,');
  const limit = checked('limit', options.limit ?? 1000, Infinity, 'a number of writes');
  const runs = new Set<(write: Write<T>) => void>();
  const written = new Map<string, Write<T>>();

  function write(type: Write<T>['type'], object: T, { partition }: ShowOptions): void {
    const next = writeOf(type, object, { partition, expiresAt: scheduler.now() + ttl });
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

  const overlaid = new Observable<WatchEventBatch<T>>((subscriber) => {
    forgetExpired(written, scheduler.now());
    const relist$ = new Subject<void>();
    const left$ = new Subject<void>();
    const protocol = runProtocol<State<T>, Input<T>, Effect<T>>({
      initial: initialState(written),
      step: (state, input) => step(state, input, limit),
      carryOut: (effect) => {
        if (effect.type === 'emit') subscriber.next(effect.batch);
        else relist$.next();
      },
      alarm: ({ entries }) => {
        const [first] = entries.values();
        return first && { at: first.write.expiresAt, input: { type: 'expired', at: scheduler.now() } };
      },
      scheduler,
      // A subscriber that writes in answer to a batch sees its write when `show` returns.
      isNested: true,
    });
    const show = (next: Write<T>): void => {
      protocol.feed({ type: 'write', write: next });
    };
    runs.add(show);
    subscriber.add(() => {
      runs.delete(show);
      protocol.unsubscribe();
      // A source that emits while it is being subscribed to has to stop too.
      left$.next();
    });
    // The end of the source is the end, though a new list may be asked for as long as it goes on.
    const source$: Source<T> = relist$.pipe(
      startWith(undefined),
      switchMap(() => source.pipe(materialize())),
      dematerialize(),
      takeUntil(left$),
    );
    source$.subscribe({
      next: (emitted) => {
        protocol.feed({ type: 'batch', batch: toBatch(emitted) });
      },
      error: (error: unknown) => {
        subscriber.error(error);
      },
      complete: () => {
        subscriber.complete();
      },
    });
  });

  return Object.assign(withFacts(overlaid, facts), {
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
  throw new InvalidOptionError(option, value, expected);
}

/** All live equally long, so the first are the oldest. */
function forgetExpired<T>(written: Map<string, Write<T>>, now: number): void {
  for (const [id, { expiresAt }] of written) {
    if (expiresAt > now) return;
    written.delete(id);
  }
}
