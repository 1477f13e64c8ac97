import type { Tone } from './transitions.js';

/** The object of an entry of the timeline. */
export interface TimelineObject {
  readonly kind: string;
  /** The resource as the address names it. */
  readonly resource: string;
  readonly key: string;
}

/** One happening, before equal happenings are merged. */
export interface Happening {
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

/** A line of the timeline: one happening, or a burst of equal happenings. */
export interface Entry extends Happening {
  /** A unique number. It increases in the order in which the page received the happenings. */
  readonly sequence: number;
  /** The time of the first happening. */
  readonly since: number;
  readonly count: number;
  /** The affected objects, the last one first; at most `mostObjects`. */
  readonly objects: readonly TimelineObject[];
}

/** The stored lines, the newest first. */
export interface TimelineLog {
  readonly entries: readonly Entry[];
  readonly next: number;
}

export const emptyLog: TimelineLog = { entries: [], next: 1 };

/** The maximum number of lines, and of objects of a burst. */
export const mostEntries = 2000;
export const mostObjects = 50;

/**
 * Equal happenings within `burst` milliseconds share one line. Only the `recent` latest lines are
 * compared.
 */
const burst = 30_000;
const recent = 60;

/**
 * Adds happenings. Equal happenings within half a minute share one line with a count, if they
 * affect one object, or several pods of one workload. An Event that the API server counts keeps one
 * line. Pure.
 */
export function withHappenings(log: TimelineLog, happenings: readonly Happening[]): TimelineLog {
  if (happenings.length === 0) return log;
  const entries = [...log.entries];
  let { next } = log;
  for (const happening of happenings) {
    const at = positionOf(entries, happening);
    const [known] = at === -1 ? [] : entries.splice(at, 1);
    const entry = known === undefined ? newEntry(happening, next) : grown(known, happening, next);
    next += 1;
    // A new entry usually becomes the first one. It may come later, because the times are from
    // several clocks that differ by seconds.
    let place = 0;
    while (place < entries.length && (entries[place]?.time ?? 0) > entry.time) place += 1;
    entries.splice(place, 0, entry);
  }
  return { entries: entries.slice(0, mostEntries), next };
}

/**
 * Returns the lines as they were at a time. A line that received happenings after that time is
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

function positionOf(entries: readonly Entry[], { what, group, time, series }: Happening): number {
  const known = series === undefined ? -1 : entries.findIndex((entry) => entry.series?.id === series.id);
  if (known !== -1) return known;
  return entries
    .slice(0, recent)
    .findIndex((entry) => entry.what === what && entry.group === group && Math.abs(time - entry.time) <= burst);
}

function newEntry(happening: Happening, sequence: number): Entry {
  const { object, time, series } = happening;
  return { ...happening, sequence, since: time, count: series?.count ?? 1, objects: [object] };
}

function grown(entry: Entry, happening: Happening, sequence: number): Entry {
  const { object, series, time } = happening;
  const isCounted = series !== undefined && entry.series?.id === series.id;
  const others = entry.objects.filter(({ resource, key }) => resource !== object.resource || key !== object.key);
  return {
    ...entry,
    ...happening,
    detail: happening.detail ?? entry.detail,
    time: Math.max(entry.time, time),
    since: Math.min(entry.since, time),
    sequence,
    // An Event that repeats a transition is the same happening, so it does not add to the count.
    count: isCounted
      ? series.count
      : object.key === entry.object.key
        ? Math.max(entry.count, series?.count ?? entry.count + 1)
        : entry.count + 1,
    objects: [object, ...others].slice(0, mostObjects),
  };
}
