import { useMemo, type ReactNode } from 'react';
import type { KubernetesEvent, KubernetesObject } from 'rx-informers';
import { useByIndex } from 'rx-informers/react';
import type { ManagedFieldsEntry } from 'rx-informers/resources';
import { useEvents } from '../cluster/informers.js';
import { browserTime } from '../cluster/server-clock.js';
import { eventTime } from '../drawer/object-events.js';
import { Age } from '../text/age.js';
import { plainText } from '../text/text.js';
import { writerText } from './field-writers.js';
import { clockText } from './time-line.js';

/** Something that the API server still knows from before the recording. */
export interface EarlierEntry {
  readonly time: number;
  readonly source: 'from events' | 'from managed fields';
  readonly what: string;
  readonly detail: string;
}

/** The maximum number of entries that are drawn. */
const most = 30;

/** The maximum number of fields that are named for one writer. */
const maxFields = 6;

/**
 * Returns what happened to an object before a time, the latest first. An Event tells when it last
 * happened, and managed fields tell when a manager last wrote: earlier writes of it are unknown.
 */
export function earlierEntries(
  events: readonly KubernetesEvent[],
  managed: readonly ManagedFieldsEntry[],
  until: number,
): readonly EarlierEntry[] {
  const ofEvents = events.map((event): EarlierEntry => {
    const { reason = 'Event', message = '', count = 1, series } = event;
    const times = series?.count ?? count;
    return {
      time: browserTime(eventTime(event)) ?? NaN,
      source: 'from events',
      what: times > 1 ? `${reason} ×${times}` : reason,
      detail: message,
    };
  });
  const ofWriters = managed.map((entry): EarlierEntry => {
    const { manager = 'unknown', operation = '', subresource = '', time, fieldsV1 } = entry;
    return {
      time: browserTime(time) ?? NaN,
      source: 'from managed fields',
      what: writerText({ manager, operation, subresource }),
      detail: fieldsText(fieldsV1),
    };
  });
  return [...ofEvents, ...ofWriters].filter(({ time }) => time < until).sort((a, b) => b.time - a.time);
}

/** Returns the fields that a manager owns, with at most two names each: `status.conditions`. */
function fieldsText(fields: unknown): string {
  const paths = namesIn(fields).flatMap(([name, inner]) => {
    const names = namesIn(inner);
    return names.length === 0 ? [name] : names.map(([second]) => `${name}.${second}`);
  });
  const others = paths.length - maxFields;
  return `last wrote some of: ${paths.slice(0, maxFields).join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
}

function namesIn(fields: unknown): readonly (readonly [name: string, inner: unknown])[] {
  if (typeof fields !== 'object' || fields === null) return [];
  return Object.entries(fields).flatMap(([name, inner]) => (name.startsWith('f:') ? [[name.slice(2), inner]] : []));
}

interface BeforeRecordingProps {
  readonly object: KubernetesObject;
  readonly managed: readonly ManagedFieldsEntry[];
  /** When the recording began, or the shown time if it is earlier. */
  readonly until: number;
}

/**
 * Renders what the API server still knows from before the recording, apart from recorded changes.
 * Each entry names its source.
 */
export function BeforeRecording({ object, managed, until }: BeforeRecordingProps): ReactNode {
  const events = useByIndex(useEvents(), 'object', object.metadata?.uid ?? '');
  const entries = useMemo(() => earlierEntries(events, managed, until), [events, managed, until]);
  if (entries.length === 0) return null;
  return (
    <section className="before-recording" aria-label="Before the recording">
      <h3>Before the recording</h3>
      <p className="fine">
        Not recorded, and not complete: an event shows when it last happened, and the managed fields show when a manager
        last wrote.
      </p>
      <ul>
        {entries.slice(0, most).map(({ time, source, what, detail }, index) => (
          <li key={`${time} ${source} ${what} ${index}`}>
            <span className="change-head">
              <span>{clockText(time)}</span>
              <span className="fine">
                <Age since={new Date(time).toISOString()} /> ago
              </span>
              <span className="source">{source}</span>
            </span>
            <strong>{plainText(what, 120)}</strong> <span className="message">{plainText(detail, 300)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
