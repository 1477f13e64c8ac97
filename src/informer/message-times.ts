import type { WatchEvent } from '../sources/model/watch-event.js';

/** How old the content of an informer may be. */
export interface Freshness {
  /**
   * When the source last emitted a change, a list or a bookmark, in milliseconds since the epoch; `undefined` before the first (G6).
   *
   * Of a merged source it is the time of the stalest member. A member that has not emitted anything yet counts from when it joined.
   */
  readonly lastMessageAt: number | undefined;
  /**
   * Returns when one member of a merged source last emitted a change, a list or a bookmark; `undefined` before the first, and for
   * a name that is no member. `status.members` has the names, with the status of each.
   *
   * @param partition the name of the member, for example a namespace of `listWatch`; `outer/inner` for one that is nested
   */
  lastMessageAtOf(partition: string): number | undefined;
}

/**
 * Knows when each member of a merged source last said anything; a source on its own is one member, without a name.
 *
 * A message is a change, a list or a bookmark. A source that leaves says so with a list of nothing that has no version.
 */
export class MessageTimes {
  readonly #members = new Map<string | undefined, MemberTimes>();
  /** Those that the last status named. A source that has no status is known by its messages only. */
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
      if (event.type === 'LISTED' && partition !== undefined && isOfNothing(event)) {
        if (!this.#named.has(partition)) this.#members.delete(partition);
        continue;
      }
      noted = event;
      this.#note(partition, now);
    }
  }

  /** Returns the last time of the stalest member, or `undefined` before the first message. A silent member counts from when it joined. */
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

  #note(partition: string | undefined, now: number): void {
    const member = this.#members.get(partition);
    if (member === undefined) this.#members.set(partition, { joined: now, last: now });
    else member.last = now;
    // An empty set of sources has a list of its own.
    if (partition !== undefined) this.#members.delete(undefined);
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

function isOfNothing({
  items,
  resourceVersion,
}: {
  readonly items: readonly unknown[];
  readonly resourceVersion: string;
}): boolean {
  return items.length === 0 && resourceVersion === '';
}
