import { useMemo, type ReactNode } from 'react';
import { useByIndex, useHasSynced } from 'rx-informers/react';
import { useEvents } from '../cluster/informers.js';
import { plainText } from '../text/text.js';
import { Age } from '../text/age.js';
import { PanelNotice } from '../cluster/panel-notice.js';
import type { Event } from 'rx-informers';

/** The maximum number of events that are shown: the latest ones. */
const most = 50;

/** Renders the events about one object. Reads them only while they are shown. */
export function ObjectEvents({ uid }: { readonly uid: string }): ReactNode {
  const events = useEvents();
  const about = useByIndex(events, 'object', uid);
  const hasSynced = useHasSynced(events);
  const sorted = useMemo(() => latestFirst(about), [about]);
  return (
    <section aria-labelledby="events-title">
      <h3 id="events-title">
        Events <span className="count">{about.length}</span>
      </h3>
      <PanelNotice informer={events} what="events" />
      {hasSynced && about.length === 0 && <p className="fine">None.</p>}
      <ul className="events">
        {sorted.slice(0, most).map((event) => (
          <li key={event.metadata.uid} className={event.type === 'Warning' ? 'warning' : undefined}>
            <span className="fine">
              <Age since={eventTime(event)} />
              {(event.count ?? 1) > 1 && ` ×${event.count ?? 1}`}
            </span>
            <strong>
              {event.type === 'Warning' && <span className="visually-hidden">Warning: </span>}
              {plainText(event.reason ?? '', 80)}
            </strong>
            <span className="message">{plainText(event.message ?? '', 600)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/**
 * Returns when an event last happened. The event has several time fields. Its reporter determines
 * which one is set.
 */
export function eventTime({
  series,
  lastTimestamp,
  eventTime: first,
  firstTimestamp,
  metadata,
}: Event): string | undefined {
  return (
    series?.lastObservedTime ?? lastTimestamp ?? first ?? firstTimestamp ?? metadata.creationTimestamp ?? undefined
  );
}

/** Returns the events in order, the latest first. Events without a time come last. */
export function latestFirst(events: readonly Event[]): readonly Event[] {
  return [...events].sort((a, b) => timeOf(b) - timeOf(a));
}

function timeOf(event: Event): number {
  const time = Date.parse(eventTime(event) ?? '');
  return Number.isNaN(time) ? -Infinity : time;
}
