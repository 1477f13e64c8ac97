import type { Collection, KubernetesEvent } from 'rx-informers';
import * as derived from 'rx-informers/derived';

/** One row for each object with events: the last of them. */
export function lastEvents(events: Collection<KubernetesEvent>) {
  return derived.distinct(events, ({ involvedObject }) => involvedObject.uid, {
    orderBy: ({ series, lastTimestamp, eventTime, metadata }) =>
      series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? metadata.creationTimestamp,
  });
}
