import type { Subscription } from 'rxjs';
import type { Collection } from '../collections/collection.js';
import type { Freshness } from '../informer/freshness.js';
import type { SourceStatus } from '../sources/model/watch-event.js';
import type { HistoryClock } from './history-clock.js';

/**
 * A span in which the source of a recorded collection was not connected. What happened meanwhile
 * is not recorded: the next version has all changes of the span together.
 */
export interface HistoryOutage {
  /**
   * Until when the state is known, in milliseconds since 1970. It is the time of the last byte from
   * the server, because a connection may be dead long before this is noticed.
   */
  readonly from: number;
  /** When the source was connected again; `undefined` while it is not. */
  readonly until: number | undefined;
  /** The status at the beginning. */
  readonly status: SourceStatus;
}

interface Span {
  readonly from: number;
  until: number | undefined;
  readonly status: SourceStatus;
}

/**
 * A connection that ends within this time after it was opened, in milliseconds, may not have
 * delivered what happened before. Then the outage before it goes on.
 */
const settling = 5_000;

/** The outages of one collection, oldest first, in elapsed time. */
export class Outages {
  #spans: readonly Span[] = [];
  /** True once the source was connected. A collection without a source is stopped for ever. */
  #hasConnected = false;

  constructor(
    private readonly clock: HistoryClock,
    /** Returns how long outages are kept after their end, in milliseconds. */
    private readonly reach: () => number,
  ) {}

  /** Returns the outages, with times of day. */
  get all(): readonly HistoryOutage[] {
    const { clock } = this;
    return this.#spans.map(({ from, until, status }) => ({
      from: clock.timeOf(from),
      until: until === undefined ? undefined : clock.timeOf(until),
      status,
    }));
  }

  /** Adds outages that began before the oldest one. */
  prepend(outages: readonly HistoryOutage[]): void {
    const first = this.#spans[0]?.from ?? this.clock.now();
    const momentOf = (time: number | undefined): number => (time === undefined ? first : this.clock.momentOf(time));
    const earlier = outages.map((each): Span => ({ ...each, from: momentOf(each.from), until: momentOf(each.until) }));
    this.#spans = [...earlier.filter(({ from }) => from < first), ...this.#spans];
  }

  clear(): void {
    this.#spans = [];
  }

  /** Records statuses once there is something to record. Does not keep the collection running. */
  follow(
    collection: Pick<Collection<unknown>, 'status$'> & Partial<Pick<Freshness, 'lastHeardAt'>>,
    hasContent: () => boolean,
  ): Subscription {
    return collection.status$.subscribe((status) => this.#note(status, hasContent(), collection.lastHeardAt));
  }

  #note(status: SourceStatus, hasContent: boolean, contactAt: number | undefined): void {
    const now = this.clock.now();
    const last = this.#spans.at(-1);
    const isOpen = last !== undefined && last.until === undefined;
    if (status.state === 'watching') {
      this.#hasConnected = true;
      if (isOpen) last.until = now;
      return;
    }
    const isWithoutSource = status.state === 'stopped' && !this.#hasConnected;
    if (!hasContent || isWithoutSource || isOpen) return;
    const known = contactAt === undefined ? now : Math.min(this.clock.momentOf(contactAt), now);
    if (last?.until !== undefined && known < last.until + settling) {
      last.until = undefined;
      return;
    }
    const kept = this.#spans.filter(({ until = now }) => until >= now - this.reach());
    this.#spans = [...kept, { from: known, until: undefined, status }];
  }

  /** Returns the moment up to which the state at a moment is known. */
  knownUntil(moment: number): number {
    const within = this.#spans.find(({ from, until = Infinity }) => from < moment && moment < until);
    return within?.from ?? moment;
  }
}
