import type { LaneOpened, LogEntry, Mark, Objects, SandboxEvent, Shown, Substituted } from './protocol.js';

/** An Observable with its emissions. */
export interface Lane extends LaneOpened {
  readonly marks: readonly Mark[];
  readonly count: number;
  readonly latest: string;
}

/** The results of a program that a reader sees. */
export interface Results {
  readonly stage: 'loading' | 'running' | 'finished';
  readonly log: readonly LogEntry[];
  readonly lanes: readonly Lane[];
  readonly values: readonly Shown[];
  readonly kinds: Objects['kinds'];
  readonly substituted: readonly Substituted[];
}

export const nothing: Results = { stage: 'loading', log: [], lanes: [], values: [], kinds: [], substituted: [] };

const maxEntries = 200;
const maxMarks = 300;
const maxLanes = 24;

/** Returns the results with new events of the sandbox added. */
export function withEvents(results: Results, events: readonly SandboxEvent[]): Results {
  return events.reduce(withEvent, results);
}

function withEvent(results: Results, event: SandboxEvent): Results {
  switch (event.type) {
    case 'ready':
      return { ...results, stage: 'running' };
    case 'finished':
      return { ...results, stage: 'finished' };
    case 'log':
      return { ...results, log: [...results.log, event].slice(-maxEntries) };
    case 'shown':
      return { ...results, values: [...results.values, event].slice(-maxLanes) };
    case 'lane':
      return { ...results, lanes: [...results.lanes, { ...event, marks: [], count: 0, latest: '' }].slice(-maxLanes) };
    case 'mark':
      return {
        ...results,
        lanes: results.lanes.map((lane) => (lane.lane === event.lane ? withMark(lane, event) : lane)),
      };
    case 'objects':
      return { ...results, kinds: event.kinds };
    case 'substituted': {
      const isKnown = results.substituted.some(({ what }) => what === event.what);
      return isKnown ? results : { ...results, substituted: [...results.substituted, event] };
    }
    default:
      return results;
  }
}

function withMark(lane: Lane, mark: Mark): Lane {
  const isValue = mark.kind === 'value';
  return {
    ...lane,
    marks: [...lane.marks, mark].slice(-maxMarks),
    count: lane.count + (isValue ? 1 : 0),
    latest: isValue || mark.kind === 'error' ? mark.text : lane.latest,
  };
}

/** The time that a diagram shows, in milliseconds. */
const span = 10_000;

/**
 * Returns the start and the end of a diagram. At first, a diagram begins with the program. Later,
 * it shows the last ten seconds.
 */
export function windowAt(now: number): { readonly from: number; readonly to: number } {
  const to = Math.max(now, 2_000);
  return { from: Math.max(0, to - span), to };
}

/**
 * Returns the position of a mark, from 0 to 100, or `undefined` if the mark is older than the
 * diagram.
 */
export function placeOf(at: number, now: number): number | undefined {
  const { from, to } = windowAt(now);
  return at < from ? undefined : 2 + ((Math.min(at, to) - from) / (to - from)) * 96;
}
