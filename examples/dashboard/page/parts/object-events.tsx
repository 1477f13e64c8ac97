import { useMemo, type ReactNode } from 'react';
import { useByIndex, useHasSynced } from 'rx-informers/react';
import { useEvents } from '../cluster/informers.js';
import { eventTime, latestFirst } from '../model/event-time.js';
import { plainText } from '../model/plain-text.js';
import { Age } from './age.js';
import { PanelNotice } from './panel-notice.js';

/** So many are shown: the latest. */
const most = 50;

/** The events about one object, read only while somebody looks. */
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
