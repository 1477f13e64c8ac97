import type { Event } from 'rx-informers';

/** When an event happened last. Which of its times is set depends on who wrote it. */
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

/** The latest first; those without a time last. */
export function latestFirst(events: readonly Event[]): readonly Event[] {
  return [...events].sort((a, b) => timeOf(b) - timeOf(a));
}

function timeOf(event: Event): number {
  const time = Date.parse(eventTime(event) ?? '');
  return Number.isNaN(time) ? -Infinity : time;
}
