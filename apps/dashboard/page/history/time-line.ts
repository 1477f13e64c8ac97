import type { HistoryOutage, HistoryVersion } from 'rx-informers/history';
import type { PastOutline } from './past-text.js';
import { reach } from './recordings.js';

/** The ends of the time line, in milliseconds since the epoch. */
export interface Axis {
  readonly from: number;
  /** The present, or the moment at which the user started to drag. */
  readonly until: number;
  /** When the recording began. Earlier times cannot be shown. */
  readonly recordedFrom: number;
}

/**
 * The minimum length of the line in milliseconds. Without it, the line of a new page would move too
 * fast.
 */
const shortest = 60_000;

/** The part of the line, next to the present, that selects live. */
const liveZone = 0.006;

/** Returns the axis of a recording. The line reaches back an hour at most. */
export function axisOf(recordedFrom: number, now: number): Axis {
  const from = Math.max(now - reach, Math.min(recordedFrom, now - shortest));
  return { from, until: now, recordedFrom: Math.min(Math.max(recordedFrom, from), now) };
}

/** Returns the position of a time on the line, from 0 to 1. */
export function placeOf(time: number, { from, until }: Axis): number {
  return Math.min(Math.max((time - from) / (until - from), 0), 1);
}

/**
 * Returns the time to show when the user points at a time. Returns `undefined` for live. Never
 * returns a time before the recording.
 */
export function timeAt(pointed: number, axis: Axis): number | undefined {
  if (placeOf(pointed, axis) >= 1 - liveZone) return undefined;
  return Math.max(pointed, axis.recordedFrom);
}

/**
 * Returns the time to show after a key was pressed on the time line. In the result, `time` is
 * `undefined` for live. Returns `undefined` for a key without an effect.
 */
export function timeAfterKey(
  { key, shiftKey }: { readonly key: string; readonly shiftKey: boolean },
  shown: number | undefined,
  axis: Axis,
  marks: readonly { readonly time: number }[],
): { readonly time: number | undefined } | undefined {
  const current = shown ?? axis.until;
  const step = (milliseconds: number): { readonly time: number | undefined } => ({
    // Does not use `timeAt`: the first step back from live is also one second.
    time: current + milliseconds >= axis.until ? undefined : Math.max(current + milliseconds, axis.recordedFrom),
  });
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowDown':
      return shiftKey ? { time: nextMark(marks, current, -1) ?? timeAt(axis.from, axis) } : step(-1_000);
    case 'ArrowRight':
    case 'ArrowUp':
      return shiftKey ? { time: nextMark(marks, current, 1) } : step(1_000);
    case 'PageDown':
      return step(-10_000);
    case 'PageUp':
      return step(10_000);
    case 'Home':
      return { time: timeAt(axis.from, axis) };
    case 'End':
      return { time: undefined };
    default:
      return undefined;
  }
}

function nextMark(marks: readonly { readonly time: number }[], from: number, direction: 1 | -1): number | undefined {
  const times = marks.map(({ time }) => time).filter((time) => (time - from) * direction > 250);
  if (times.length === 0) return undefined;
  return direction === 1 ? Math.min(...times) : Math.max(...times);
}

/**
 * Returns the number of changes over time: of what the worker has recorded before this tab, and of
 * what the tab has recorded.
 */
export function changesOver(
  { spans }: PastOutline,
  versions: readonly HistoryVersion[],
): readonly Pick<HistoryVersion, 'time' | 'changes'>[] {
  const [oldest] = versions;
  return oldest === undefined ? [] : [...spans.filter(({ time }) => time < oldest.time), ...versions];
}

/** Returns the times that were joined to save memory, as places on the line. */
export function thinnedPlaces({ spans }: PastOutline, axis: Axis): ReturnType<typeof outagePlaces> {
  const status = { state: 'stopped' } as const;
  return outagePlaces(
    spans.flatMap(({ time, isThinned }, position) =>
      isThinned === true ? [{ from: time, until: spans[position + 1]?.time ?? axis.until, status }] : [],
    ),
    axis,
  );
}

/** Returns the number of changes in each of `parts` equal parts of the line. */
export function densityOf(
  versions: readonly Pick<HistoryVersion, 'time' | 'changes'>[],
  axis: Axis,
  parts: number,
): readonly number[] {
  const counts = Array.from({ length: parts }, () => 0);
  for (const { time, changes } of versions) {
    if (time < axis.from || time > axis.until) continue;
    const part = Math.min(Math.floor(placeOf(time, axis) * parts), parts - 1);
    counts[part] = (counts[part] ?? 0) + changes;
  }
  return counts;
}

/**
 * Returns the outline of a density as a path in a box of `counts.length` × 100. Heights are square
 * roots, so that a quiet minute stays visible beside a busy one.
 */
export function densityPath(counts: readonly number[]): string {
  const most = Math.max(...counts, 1);
  const steps = counts.map((count, part) => {
    const height = count === 0 ? 0 : 8 + 92 * Math.sqrt(count / most);
    return `V${(100 - height).toFixed(1)}H${part + 1}`;
  });
  return `M0 100${steps.join('')}V100Z`;
}

/**
 * Returns ticks at times as a path in a box of 1,000 × 100. The ticks start at its top or at its
 * bottom.
 */
export function ticksPath(times: readonly number[], axis: Axis, from: 'top' | 'bottom'): string {
  const places = times.filter((time) => time >= axis.from).map((time) => Math.round(placeOf(time, axis) * 1_000));
  return [...new Set(places)].map((place) => (from === 'top' ? `M${place} 0V100` : `M${place} 100V0`)).join('');
}

/** Returns where the outages are on the line: the left ends and the widths, from 0 to 1. */
export function outagePlaces(
  outages: readonly HistoryOutage[],
  axis: Axis,
): readonly { readonly left: number; readonly width: number }[] {
  return outages.flatMap(({ from, until = axis.until }) => {
    const [left, right] = [placeOf(from, axis), placeOf(until, axis)];
    return right > left ? [{ left, width: right - left }] : [];
  });
}

/**
 * Returns the time of which the page shows the state, if some part of the page is older than the
 * shown time because of an outage. Otherwise returns `undefined`.
 *
 * @param known the times up to which the parts of the page are known; `undefined` if a part was not
 *   recorded at that time
 */
export function stateAsOf(shown: number, known: readonly (number | undefined)[]): number | undefined {
  const earliest = Math.min(...known.map((time) => time ?? shown));
  return clockText(earliest) === clockText(shown) ? undefined : earliest;
}

/** Returns `14:02:31`, in the time zone of the reader. */
export function clockText(time: number): string {
  const date = new Date(time);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}

/** Returns `3m 02s ago`, or `12s ago` below a minute. */
export function agoText(time: number, now: number): string {
  const seconds = Math.max(Math.round((now - time) / 1_000), 0);
  const minutes = Math.floor(seconds / 60);
  if (minutes === 0) return `${seconds}s ago`;
  return minutes < 60
    ? `${minutes}m ${String(seconds % 60).padStart(2, '0')}s ago`
    : `${Math.floor(minutes / 60)}h ago`;
}
