import type { Tone } from './transitions.js';

/** The object of an entry of the timeline. */
export interface TimelineObject {
  readonly kind: string;
  /** The resource as the address names it. */
  readonly resource: string;
  readonly key: string;
}

/** One occurrence, before equal occurrences are merged. */
export interface Occurrence {
  /** In milliseconds since the epoch. */
  readonly time: number;
  readonly tone: Tone;
  readonly what: string;
  readonly detail: string | undefined;
  readonly object: TimelineObject;
  /** The group by which bursts are merged: the workload of a pod, otherwise the object. */
  readonly group: string;
  /** The values of the facets: `namespace=shop`. */
  readonly pairs: readonly string[];
  /** The key and the count of an Event that the API server counts. */
  readonly series?: { readonly id: string; readonly count: number };
}

/** A line of the timeline: one occurrence, or a burst of equal occurrences. */
export interface Entry extends Occurrence {
  /** A unique number. It increases in the order in which the page received the occurrences. */
  readonly sequence: number;
  /** The time of the first occurrence. */
  readonly since: number;
  readonly count: number;
  /** The affected objects, the last one first; at most `maxObjects`. */
  readonly objects: readonly TimelineObject[];
}

/** The stored lines, the newest first. */
export interface TimelineLog {
  readonly entries: readonly Entry[];
  readonly next: number;
}

export const emptyLog: TimelineLog = { entries: [], next: 1 };

/** The maximum number of lines, and of objects of a burst. */
export const maxEntries = 2000;
export const maxObjects = 50;

/**
 * Equal occurrences within `burst` milliseconds share one line. Only the `recent` latest lines are
 * compared.
 */
const burst = 30_000;
const recent = 60;

/**
 * Adds occurrences. Equal occurrences within half a minute share one line with a count, if they
 * affect one object, or several pods of one workload. An Event that the API server counts keeps one
 * line. Pure.
 */
export function withOccurrences(log: TimelineLog, occurrences: readonly Occurrence[]): TimelineLog {
  if (occurrences.length === 0) return log;
  const entries = [...log.entries];
  let { next } = log;
  for (const occurrence of occurrences) {
    const at = positionOf(entries, occurrence);
    const [known] = at === -1 ? [] : entries.splice(at, 1);
    const entry = known === undefined ? newEntry(occurrence, next) : grown(known, occurrence, next);
    next += 1;
    // A new entry usually becomes the first one. It may come later, because the times are from
    // several clocks that differ by seconds.
    let place = 0;
    while (place < entries.length && (entries[place]?.time ?? 0) > entry.time) place += 1;
    entries.splice(place, 0, entry);
  }
  return { entries: entries.slice(0, maxEntries), next };
}

/**
 * Returns the lines as they were at a time. A line that received occurrences after that time is
 * shown as it began: with its first object, and a count of one. Pure.
 */
export function entriesAt(entries: readonly Entry[], at: number | undefined): readonly Entry[] {
  if (at === undefined) return entries;
  return entries
    .filter(({ since }) => since <= at)
    .map((entry) => (entry.time <= at ? entry : asItBegan(entry)))
    .sort((a, b) => b.time - a.time);
}

function asItBegan(entry: Entry): Entry {
  const object = entry.objects.at(-1) ?? entry.object;
  return { ...entry, time: entry.since, count: 1, object, objects: [object] };
}

function positionOf(entries: readonly Entry[], { what, group, time, series }: Occurrence): number {
  const known = series === undefined ? -1 : entries.findIndex((entry) => entry.series?.id === series.id);
  if (known !== -1) return known;
  return entries
    .slice(0, recent)
    .findIndex((entry) => entry.what === what && entry.group === group && Math.abs(time - entry.time) <= burst);
}

function newEntry(occurrence: Occurrence, sequence: number): Entry {
  const { object, time, series } = occurrence;
  return { ...occurrence, sequence, since: time, count: series?.count ?? 1, objects: [object] };
}

function grown(entry: Entry, occurrence: Occurrence, sequence: number): Entry {
  const { object, series, time } = occurrence;
  const isCounted = series !== undefined && entry.series?.id === series.id;
  const others = entry.objects.filter(({ resource, key }) => resource !== object.resource || key !== object.key);
  return {
    ...entry,
    ...occurrence,
    detail: occurrence.detail ?? entry.detail,
    time: Math.max(entry.time, time),
    since: Math.min(entry.since, time),
    sequence,
    // An Event that repeats a transition is the same occurrence, so it does not add to the count.
    count: isCounted
      ? series.count
      : object.key === entry.object.key
        ? Math.max(entry.count, series?.count ?? entry.count + 1)
        : entry.count + 1,
    objects: [object, ...others].slice(0, maxObjects),
  };
}
