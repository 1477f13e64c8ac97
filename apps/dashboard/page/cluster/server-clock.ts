import { apiBaseOf } from '../address/api-base.js';

/**
 * The difference between the clock of an API server and the clock of the browser. Each answer
 * bounds the difference, because its `Date` was written between the request and the answer.
 */
export class ClockOffset {
  #least = -Infinity;
  #most = Infinity;

  /**
   * The milliseconds to add to the browser's time: the smallest difference that agrees with all
   * answers, and 0 if the clocks may be equal.
   */
  get milliseconds(): number {
    return Math.min(Math.max(0, this.#least), this.#most);
  }

  /**
   * Reads the header `Date` of an answer, which has whole seconds. If it contradicts the earlier
   * answers, one of the clocks was set, so only the new answer counts.
   */
  observe(date: string | null, sentAt: number, receivedAt: number): void {
    const time = Date.parse(date ?? '');
    if (Number.isNaN(time)) return;
    const least = time - receivedAt;
    const most = time + 1000 - sentAt;
    const agrees = least <= this.#most && most >= this.#least;
    this.#least = agrees ? Math.max(this.#least, least) : least;
    this.#most = agrees ? Math.min(this.#most, most) : most;
  }
}

/** The offsets by the path of the API. */
const offsets = new Map<string, ClockOffset>();

/** Sends a request, and reads the clock of the API server from its answer. */
export const timedFetch: typeof fetch = async (input, init) => {
  const sentAt = Date.now();
  const answer = await fetch(input, init);
  // An error may come from a server on the way, whose clock is another one.
  const [, base] = /^(.*?)\/(?:apis?|version)(?:[/?]|$)/.exec(typeof input === 'string' ? input : '') ?? [];
  if (base !== undefined && answer.ok) {
    const offset = offsets.get(base) ?? new ClockOffset();
    offsets.set(base, offset);
    offset.observe(answer.headers.get('date'), sentAt, Date.now());
  }
  return answer;
};

/** Returns the milliseconds to add to the browser's time to get the time of the API server. */
export function serverOffset(search = typeof location === 'undefined' ? '' : location.search): number {
  if (offsets.size === 0) return 0;
  return offsets.get(apiBaseOf(search))?.milliseconds ?? 0;
}

/** Converts a time of the API server to the clock of the browser; `undefined` without a time. */
export function browserTime(time: string | undefined): number | undefined {
  return time === undefined ? undefined : Date.parse(time) - serverOffset();
}
