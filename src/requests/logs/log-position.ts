/**
 * The place in the log of a container up to which lines were read: plain data, which may be stored
 * as JSON and passed to a later program.
 *
 * A log can be requested again only from a whole second on, and a runtime stamps the lines of
 * stdout and stderr independently, so their times are not in order. Therefore a position has the
 * number of lines of its last second: an answer from that second on repeats them.
 */
export interface LogPosition {
  /** The whole second from which to read on; `undefined` before the first line. */
  readonly second?: string;
  /** How many lines of that second were read, by their time. */
  readonly received: Readonly<Record<string, number>>;
  /** The time of the first line, if only the last lines were requested (`tail`). */
  readonly first?: string;
}

/** Only `lineFilter` changes a position, so that the caller's map is always current. */
interface MovingPosition {
  second?: string;
  received: Record<string, number>;
  first?: string;
}

/**
 * Returns a function for the lines of one request, which moves the position past each line and
 * returns whether the line is new.
 *
 * @param isCut whether a request without a position asks for the last lines only
 */
export function lineFilter(position: LogPosition, isCut: boolean): (time: string | undefined) => boolean {
  const moving = position as MovingPosition;
  const isResumed = position.second !== undefined;
  const repeated = new Map(isResumed ? Object.entries(position.received) : []);
  return (time) => {
    if (time === undefined) return true;
    const again = repeated.get(time) ?? 0;
    if (again > 0) {
      repeated.set(time, again - 1);
      return false;
    }
    if (isResumed && position.first !== undefined && compareLogTimes(time, position.first) < 0) return false;
    const second = time.replace(/\.\d+/, '');
    const order = position.second === undefined ? 1 : compareLogTimes(second, position.second);
    if (position.second === undefined && isCut) moving.first = time;
    if (order > 0) {
      moving.second = second;
      moving.received = {};
    }
    if (order >= 0) moving.received[time] = (moving.received[time] ?? 0) + 1;
    return true;
  };
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
