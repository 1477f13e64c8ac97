import { useMemo, type ReactNode } from 'react';
import type { KubernetesEvent, KubernetesObject } from 'rx-informers';
import { useByIndex, useHasSynced } from 'rx-informers/react';
import { nodeResource } from '../address/page-address.js';
import { useEvents } from '../cluster/informers.js';
import { PanelNotice } from '../cluster/panel-notice.js';
import { Age } from '../text/age.js';
import { plainText } from '../text/text.js';

/** The maximum number of events that are shown: the latest ones. */
const most = 50;

interface ObjectEventsProps {
  /** The resource as the path of the API names it: `v1/nodes`. */
  readonly resource: string;
  readonly object: KubernetesObject;
}

/** Renders the events about one object. Reads them only while they are shown. */
export function ObjectEvents({ resource, object }: ObjectEventsProps): ReactNode {
  const { uid = '', name = '' } = object.metadata ?? {};
  const events = useEvents();
  const byUid = useByIndex(events, 'object', uid);
  const byName = useByIndex(events, 'object', name);
  const hasSynced = useHasSynced(events);
  const about = useMemo(
    // A kubelet reports the name of its node as the uid.
    () => (resource === nodeResource ? [...byUid, ...byName.filter((event) => isOfNode(event))] : byUid),
    [resource, byUid, byName],
  );
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
              {countOf(event) > 1 && ` ×${countOf(event)}`}
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

function isOfNode(event: KubernetesEvent): boolean {
  return event.involvedObject.kind === 'Node';
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
}: KubernetesEvent): string | undefined {
  return (
    series?.lastObservedTime ?? lastTimestamp ?? first ?? firstTimestamp ?? metadata.creationTimestamp ?? undefined
  );
}

/** Returns how often an event happened. New reporters count in its series. */
function countOf({ series, count }: KubernetesEvent): number {
  return series?.count ?? count ?? 1;
}

/** Returns the events in order, the latest first. Events without a time come last. */
export function latestFirst(events: readonly KubernetesEvent[]): readonly KubernetesEvent[] {
  return [...events].sort((a, b) => timeOf(b) - timeOf(a));
}

function timeOf(event: KubernetesEvent): number {
  const time = Date.parse(eventTime(event) ?? '');
  return Number.isNaN(time) ? -Infinity : time;
}
