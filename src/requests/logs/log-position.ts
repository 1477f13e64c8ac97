/**
 * The place in the log of a container up to which lines were read.
 *
 * A log can be requested again only from a whole second on, and a runtime stamps the lines of
 * stdout and stderr independently, so their times are not in order. Therefore the position counts
 * the lines of its last second by their times: an answer from that second on repeats them.
 */
export class LogPosition {
  #first: string | undefined;
  #second: string | undefined;
  #received = new Map<string, number>();
  #repeated: Map<string, number> | undefined;

  /** @param isCut whether the first request asks for the last lines only (`tail`) */
  constructor(private readonly isCut: boolean) {}

  /** The whole second from which to read on; `undefined` before the first line. */
  get second(): string | undefined {
    return this.#second;
  }

  /** Must be called before each request after the first. */
  resume(): void {
    this.#repeated = new Map(this.#received);
  }

  /** Moves past a line, and returns whether the line is new. */
  pass(time: string | undefined): boolean {
    if (time === undefined) return true;
    const repeated = this.#repeated?.get(time) ?? 0;
    if (repeated > 0) {
      this.#repeated?.set(time, repeated - 1);
      return false;
    }
    if (this.#repeated && this.isCut && this.#first && compareLogTimes(time, this.#first) < 0) return false;
    this.#first ??= time;
    const second = time.replace(/\.\d+/, '');
    const order = this.#second === undefined ? 1 : compareLogTimes(second, this.#second);
    if (order > 0) {
      this.#second = second;
      this.#received.clear();
    }
    if (order >= 0) this.#received.set(time, (this.#received.get(time) ?? 0) + 1);
    return true;
  }
}

/**
 * Compares two times of log lines. They may be in the time zone of the node, and their fractions
 * may have any number of digits.
 */
export function compareLogTimes(a: string, b: string): number {
  const [left, right] = [sortable(a), sortable(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

function sortable(time: string): string {
  const [, seconds = '', fraction = '', zone = ''] = /^(.{19})(?:\.(\d+))?(.*)$/.exec(time) ?? [];
  const at = Date.parse(`${seconds}${zone}`);
  return `${String(Number.isNaN(at) ? 0 : at).padStart(16, '0')}.${fraction.padEnd(9, '0')}`;
}

const timed = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)) ?/;

/** Splits a line of `timestamps=true` into its time and its text. */
export function parseLogLine(line: string): { readonly time: string | undefined; readonly text: string } {
  const [prefix = '', time] = timed.exec(line) ?? [];
  return { time, text: line.slice(prefix.length) };
}
