import type { SourceStatus } from '../sources/model/watch-event.js';
import type { HistoryClock } from './history-clock.js';

/**
 * A span in which the source of a recorded collection was not connected. What happened meanwhile
 * is not recorded: the next version has all changes of the span together.
 */
export interface HistoryOutage {
  /**
   * Until when the state is known, in milliseconds since 1970. If the connection ended with an
   * error, it is the time of the last byte from the server, because the end may be noticed much
   * later.
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

/** The outages of one collection, oldest first, in elapsed time. */
export class Outages {
  #spans: readonly Span[] = [];
  /** True once the source was connected. A collection without a source is stopped for ever. */
  #hasConnected = false;

  constructor(
    private readonly clock: HistoryClock,
    /** How long outages are kept after their end, in milliseconds. */
    private readonly reach: number,
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

  clear(): void {
    this.#spans = [];
  }

  /**
   * Records a status.
   *
   * @param heardAt the time of day of the last byte from the server, if it is known
   */
  note(status: SourceStatus, hasContent: boolean, heardAt: number | undefined): void {
    const now = this.clock.now();
    const last = this.#spans.at(-1);
    if (status.state === 'watching') {
      this.#hasConnected = true;
      if (last?.until === undefined && last !== undefined) last.until = now;
      return;
    }
    const isWithoutSource = status.state === 'stopped' && !this.#hasConnected;
    if (!hasContent || isWithoutSource || (last !== undefined && last.until === undefined)) return;
    const hasFailed = 'cause' in status && status.cause !== undefined && heardAt !== undefined;
    const known = hasFailed ? Math.min(this.clock.momentOf(heardAt), now) : now;
    const from = Math.max(known, last?.until ?? -Infinity);
    const kept = this.#spans.filter(({ until = now }) => until >= now - this.reach);
    this.#spans = [...kept, { from, until: undefined, status }];
  }

  /** Returns the moment up to which the state at a moment is known. */
  knownUntil(moment: number): number {
    const within = this.#spans.find(({ from, until = Infinity }) => from < moment && moment < until);
    return within?.from ?? moment;
  }
}
