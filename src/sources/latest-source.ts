import { asyncScheduler, map, Observable, switchMap, type Observer } from 'rxjs';
import { wallTime } from '../scheduling/clock.js';
import {
  Contacts,
  sourceWith,
  sourceWithKnownObjects,
  type KnownObjects,
  type ResourceSource,
  type Source,
} from './model/source.js';
import { toBatch } from './model/watch-event.js';

/**
 * Creates a source that reads from the latest of several sources, for example from a hub and, after
 * the hub has refused a kind, from the API server.
 *
 * | event | the source |
 * | --- | --- |
 * | `sources$` emits a source | unsubscribes from the earlier one, then subscribes to this one |
 * | the new source emits its first `LISTED` | replaces the objects; until then, those of the earlier source stay |
 *
 * The resource, the client and the clock are those of `facts`, because the sources are known later.
 *
 * **Guarantees**: the connection of the result is that of the latest source: `recheck()` and
 * `lastHeardAt` of an informer work as over that source. Errors and completion are passed on.
 *
 * **Does not guarantee**: that two sources select the same objects. Pass sources of the same
 * resource, namespace and selectors.
 *
 * @param sources$ emits the source to read from, and each later one
 * @param facts properties of the result, such as its `resource`
 * @returns a source for `informer` and all operators
 * @example
 * import { listWatch, pods, type KubeClient } from 'rx-informers';
 * import { latestSource } from 'rx-informers/client';
 * import { map, type Observable } from 'rxjs';
 *
 * declare const client$: Observable<KubeClient>; // emits a client after each sign-in
 *
 * const sources$ = client$.pipe(map((client) => listWatch(client, pods)));
 * const source = latestSource(sources$, { resource: pods });
 */
export function latestSource<T>(
  sources$: Observable<Source<T>>,
  facts: Pick<Source<unknown>, 'resource' | 'client' | 'scheduler' | 'random'> = {},
): ResourceSource<T> {
  return latestFor(sources$, facts);
}

function latestFor<T>(
  sources$: Observable<Source<T>>,
  facts: Pick<Source<unknown>, 'resource' | 'client' | 'scheduler' | 'random'>,
  known?: KnownObjects<T>,
): ResourceSource<T> {
  const contacts = new Contacts();
  const batches$ = sources$.pipe(
    switchMap((source) => withContact(known === undefined ? source : sourceWithKnownObjects(source, known), contacts)),
    map(toBatch),
  );
  return sourceWith(batches$, {
    ...facts,
    contact: contacts,
    withKnownObjects: (objects) => latestFor(sources$, facts, objects as KnownObjects<T>),
  });
}

/** Adds the contact of a source to `contacts` while the source is subscribed to. */
export function withContact<T>(source: Source<T>, contacts: Contacts): Source<T> {
  const { contact, scheduler = asyncScheduler } = source;
  if (contact === undefined) return source;
  return new Observable((subscriber) => {
    subscriber.add(contacts.add(contact, wallTime(scheduler)));
    subscriber.add((source as Observable<unknown>).subscribe(subscriber as Observer<unknown>));
  });
}
