import type { WatchEvent } from '../sources/model/watch-event.js';

/** Reports how old the content of an informer may be. */
export interface Freshness {
  /**
   * The time at which the source last emitted a change, a list or a bookmark, in milliseconds since
   * the epoch; `undefined` before the first message (G6). For a merged source it is the time of the
   * stalest member. A member without messages counts from the time at which it joined.
   */
  readonly lastMessageAt: number | undefined;
  /**
   * Returns the time at which one member of a merged source last emitted a change, a list or a
   * bookmark. `status.members` has the names of the members.
   *
   * @param partition the name of the member, for example a namespace of `listWatch`; `outer/inner`
   *   for a nested member
   * @returns milliseconds since the epoch; `undefined` before the first message, and for a name
   *   that no member has
   */
  lastMessageAtOf(partition: string): number | undefined;
  /**
   * The time at which the source last received any bytes from the server, including empty lines
   * that a proxy sends as a heartbeat. It is in milliseconds since the epoch; `undefined` before
   * the first byte, and while the informer is stopped. No stream emits when it changes, so read it
   * when you render ("live · heard 3 s ago"). Reading costs nothing.
   *
   * For a merged source it is the time of the member that has been silent for the longest. A source
   * of your own, or one that was piped without `through`, does not report bytes; then the value is
   * `lastMessageAt`.
   */
  readonly lastHeardAt: number | undefined;
}

/**
 * Tracks when each member of a merged source, or a single source without a name, last emitted a
 * change, a list or a bookmark. A member leaves with an empty list without a version.
 */
export class MessageTimes {
  readonly #members = new Map<string | undefined, MemberTimes>();
  /** The members in the last status. Without a status, members are known by their messages. */
  #named: ReadonlySet<string> = new Set();

  received(batch: readonly WatchEvent<unknown>[], now: number): void {
    let noted: WatchEvent<unknown> | undefined;
    for (const event of batch) {
      if (event.type === 'ERROR') continue;
      if (event.type === 'STATUS') {
        if (event.status.members !== undefined) this.#follow(event.status.members, now);
        continue;
      }
      const { partition } = event;
      if (noted !== undefined && noted.partition === partition) continue;
      if (partition !== undefined && isRemovedPartition(event)) {
        if (!this.#named.has(partition)) this.#members.delete(partition);
        continue;
      }
      noted = event;
      const member = this.#members.get(partition);
      if (member === undefined) this.#members.set(partition, { joined: now, last: now });
      else member.last = now;
      // An empty set of sources emits an empty list without a partition. The entry of that list is
      // removed here.
      if (partition !== undefined) this.#members.delete(undefined);
    }
  }

  /**
   * Returns the last time of the stalest member, or `undefined` before the first message. A member
   * without a message counts from the time at which it joined.
   */
  stalest(): number | undefined {
    const times = [...this.#members.values()];
    if (times.every(({ last }) => last === undefined)) return undefined;
    return times.reduce((earliest, { joined, last = joined }) => Math.min(earliest, last), Infinity);
  }

  of(partition: string): number | undefined {
    return this.#members.get(partition)?.last;
  }

  reset(): void {
    this.#members.clear();
    this.#named = new Set();
  }

  #follow(statuses: Readonly<Record<string, { readonly state: string }>>, now: number): void {
    const named = new Set(Object.keys(statuses));
    for (const name of this.#named) if (!named.has(name)) this.#members.delete(name);
    for (const name of named) {
      if (statuses[name]?.state === 'stopped') this.#members.delete(name);
      else if (!this.#members.has(name)) this.#members.set(name, { joined: now, last: undefined });
    }
    this.#named = named;
  }
}

interface MemberTimes {
  readonly joined: number;
  last: number | undefined;
}

/** Returns true for the empty list without a version with which a partition leaves. */
export function isRemovedPartition(event: WatchEvent<unknown>): boolean {
  return event.type === 'LISTED' && event.items.length === 0 && event.resourceVersion === '';
}
