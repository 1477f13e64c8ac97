import { Subscription, timer, type SchedulerLike } from 'rxjs';
import { isRxInformersError } from '../../../kubernetes/errors.js';
import { steady } from '../../../scheduling/clock.js';
import { expired, internalError, statusBody } from '../exchange/api-error.js';
import type { LineListener, BodyReader } from '../exchange/exchange.js';
import { storageName, type ServedResource } from '../resources/catalog.js';
import type { StorageEvent, ResourceStorage, Storage } from '../storage/storage.js';
import { withResourceVersion, type StoredObject } from '../storage/stored-object.js';
import { parseResourceVersion, type ListParameters } from './list-options.js';
import { whenReached } from './list.js';
import type { Representation } from './representation.js';
import type { SelectedObjects } from './selection.js';

export interface WatchSettings {
  readonly scheduler: SchedulerLike;
  readonly random: () => number;
  /** Milliseconds between two bookmarks. */
  readonly bookmarkInterval: number;
}

/** The real server ends a watch after 30 to 60 minutes if the client requests no timeout. */
const minimalTimeout = 30 * 60_000;

/** The time between the last bookmark of a watch and its end, in milliseconds. */
const bookmarkBeforeEnd = 2000;

/** The beginning of a watch, which depends on its resourceVersion and `sendInitialEvents`. */
type Beginning =
  | { readonly type: 'state'; readonly notOlderThan: number; readonly bookmark: boolean }
  | { readonly type: 'now' }
  | { readonly type: 'after'; readonly resourceVersion: number };

/** Prepares a watch. Throws the errors that the real server returns before the stream begins. */
export function watch(
  storage: Storage,
  resource: ServedResource,
  selection: SelectedObjects,
  options: ListParameters,
  representation: Representation,
  settings: WatchSettings,
): (listener: LineListener) => BodyReader {
  const version = parseResourceVersion(options.resourceVersion, internalError);
  const beginning = beginningOf(options, version);
  return (listener) =>
    new WatchReader(
      storage,
      storage.resource(storageName(resource)),
      selection,
      options,
      representation,
      settings,
      beginning,
      listener,
    );
}

function beginningOf({ sendInitialEvents, allowWatchBookmarks }: ListParameters, version: number): Beginning {
  if (sendInitialEvents === true) return { type: 'state', notOlderThan: version, bookmark: allowWatchBookmarks };
  if (version !== 0) return { type: 'after', resourceVersion: version };
  if (sendInitialEvents === false) return { type: 'now' };
  // The real server sends the bookmark after the existing objects in this case too, although the
  // client did not set `sendInitialEvents`.
  return { type: 'state', notOlderThan: 0, bookmark: allowWatchBookmarks };
}

/** Reads a watch from a position in the history of one resource. It buffers nothing. */
class WatchReader implements BodyReader {
  readonly #subscriptions = new Subscription();
  #pending: string[] = [];
  #state: Iterator<readonly [string, StoredObject]> | undefined;
  #sequence = 0;
  /** Events up to this version are already known to the client. */
  #from = 0;
  #started = false;
  #ended = false;

  constructor(
    private readonly storage: Storage,
    private readonly objects: ResourceStorage,
    private readonly selection: SelectedObjects,
    private readonly options: ListParameters,
    private readonly representation: Representation,
    settings: WatchSettings,
    beginning: Beginning,
    private readonly listener: LineListener,
  ) {
    this.#begin(beginning, settings.scheduler);
    this.#subscriptions.add(objects.listen(() => listener.readable()));
    this.#schedule(settings);
  }

  read(): string | undefined {
    for (;;) {
      const pending = this.#pending.shift();
      if (pending !== undefined) return pending;
      if (this.#ended || !this.#started) return undefined;
      const ofState = this.#nextOfState();
      if (ofState !== undefined) return ofState;
      if (this.#pending.length > 0) continue;
      const event = this.#nextEvent();
      if (event === undefined) return undefined;
      const line = this.#lineOf(event);
      if (line !== undefined) return line;
    }
  }

  get ended(): boolean {
    return this.#ended && this.#pending.length === 0;
  }

  get backlog(): number {
    return this.#started ? this.objects.history.end - this.#sequence : 0;
  }

  close(): void {
    this.#ended = true;
    this.#subscriptions.unsubscribe();
  }

  #begin(beginning: Beginning, scheduler: SchedulerLike): void {
    switch (beginning.type) {
      case 'state':
        this.#subscriptions.add(
          whenReached(this.storage, beginning.notOlderThan, scheduler).subscribe({
            next: () => this.#beginWithState(beginning.bookmark),
            error: (error: unknown) => this.#fail(error),
          }),
        );
        return;
      case 'now':
        this.#beginAfter(this.storage.resourceVersion);
        return;
      case 'after':
        this.#beginAfter(beginning.resourceVersion);
        return;
    }
    beginning satisfies never;
  }

  #beginWithState(bookmark: boolean): void {
    const version = this.storage.resourceVersion;
    this.#state = withEnd(this.objects.scan(this.selection.prefix), () => {
      if (bookmark) this.#pending.push(this.#bookmarkLine(version, { 'k8s.io/initial-events-end': 'true' }));
    });
    this.#sequence = this.objects.history.end;
    this.#from = version;
    this.#started = true;
    this.listener.readable();
  }

  #beginAfter(version: number): void {
    const sequence = this.objects.history.after(version);
    if (sequence === 'discarded') {
      this.#fail(expired(`too old resource version: ${version} (${this.objects.history.oldest})`));
      return;
    }
    this.#sequence = sequence;
    this.#from = version;
    this.#started = true;
  }

  /** Reports a failure in the stream, because the HTTP status has already been sent. */
  #fail(error: unknown): void {
    const status = isRxInformersError(error, 'RXI_API') ? error : internalError(String(error));
    this.#pending.push(eventLine('ERROR', JSON.stringify(statusBody(status))));
    this.#ended = true;
    this.listener.readable();
  }

  #nextOfState(): string | undefined {
    for (let next = this.#state?.next(); next !== undefined && next.done !== true; next = this.#state?.next()) {
      const [, object] = next.value;
      if (this.selection.matches(object)) return eventLine('ADDED', this.representation.event(object));
    }
    this.#state = undefined;
    return undefined;
  }

  #nextEvent(): StorageEvent | undefined {
    const event = this.objects.history.at(this.#sequence);
    if (event === undefined) {
      this.#ended = this.objects.closed;
      return undefined;
    }
    if (event === 'discarded') {
      // The reader was too slow: events that it needs were discarded, so it needs a new watch.
      this.#ended = true;
      return undefined;
    }
    this.#sequence += 1;
    return event;
  }

  /**
   * Returns the line of an event; `undefined` if the watch does not select it. With a selector, an
   * object that starts to match is ADDED. An object that stops matching is DELETED: the event has
   * the former state of the object, and the version at which it stopped matching.
   */
  #lineOf({ type, object, previous, key, resourceVersion }: StorageEvent): string | undefined {
    const { matches, prefix } = this.selection;
    if (resourceVersion <= this.#from || !key.startsWith(prefix)) return undefined;
    const before = previous !== undefined && matches(previous);
    const after = type !== 'DELETED' && matches(object);
    if (after) return eventLine(before ? 'MODIFIED' : 'ADDED', this.representation.event(object));
    if (!before) return undefined;
    const last = type === 'DELETED' ? object : withResourceVersion(previous, object.metadata.resourceVersion);
    return eventLine('DELETED', this.representation.event(last));
  }

  #schedule({ scheduler, random, bookmarkInterval }: WatchSettings): void {
    // An interval or a timeout may be longer than a timer of the machine allows.
    const clock = steady(scheduler);
    const { timeoutSeconds, allowWatchBookmarks } = this.options;
    const timeout = timeoutSeconds ? Math.max(0, timeoutSeconds * 1000) : minimalTimeout * (1 + random());
    this.#subscriptions.add(
      timer(timeout, clock).subscribe(() => {
        this.#ended = true;
        this.listener.readable();
      }),
    );
    if (!allowWatchBookmarks) return;
    const bookmark = (): void => this.#bookmark();
    if (timeout > bookmarkBeforeEnd)
      this.#subscriptions.add(timer(timeout - bookmarkBeforeEnd, clock).subscribe(bookmark));
    this.#subscriptions.add(timer(bookmarkInterval, bookmarkInterval, clock).subscribe(bookmark));
  }

  #bookmark(): void {
    const version = this.storage.resourceVersion;
    // A bookmark means that all up to its version was sent: only for readers that have caught up.
    if (!this.#started || this.#state !== undefined || this.backlog > 0 || version <= this.#from) return;
    this.#pending.push(this.#bookmarkLine(version));
    this.listener.readable();
  }

  #bookmarkLine(version: number, annotations?: Readonly<Record<string, string>>): string {
    const metadata = { resourceVersion: String(version), ...(annotations ? { annotations } : {}) };
    return eventLine('BOOKMARK', JSON.stringify(this.representation.bookmark(metadata)));
  }
}

function eventLine(type: StorageEvent['type'] | 'BOOKMARK' | 'ERROR', json: string): string {
  return `{"type":"${type}","object":${json}}\n`;
}

function* withEnd<T>(values: Iterable<T>, atEnd: () => void): Generator<T> {
  yield* values;
  atEnd();
}
