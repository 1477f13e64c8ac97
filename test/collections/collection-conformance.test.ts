import { createIndexer, informer, type Source, fromEvents, mergeSources } from 'rx-informers';
import { type WatchEvent, metaNamespaceKey, watchEvent, latestOnly, type Dedup } from 'rx-informers/store';
import { describeCollectionConformance, type CollectionUnderTest } from 'rx-informers/testing';
import { Subject } from 'rxjs';
import { byNode, type Pod } from '../fixtures/pods.js';

const { deleted, listed, modified } = watchEvent;

const indexers = { node: byNode };
const quiet = { onUnobservedError: () => undefined };

function overSource(through: (events: Subject<WatchEvent<Pod>>) => Source<Pod>, dedup?: Dedup): CollectionUnderTest {
  const events = new Subject<WatchEvent<Pod>>();
  const collection = informer(through(events), { indexers, ...quiet, ...(dedup && { dedup }) });
  collection.connect();
  return {
    collection,
    replace: (pods) => events.next(listed(pods)),
    upsert: (pod) => events.next(modified(pod)),
    remove: (pod) => events.next(deleted(pod)),
  };
}

describeCollectionConformance(() => overSource((events) => fromEvents(events)), { name: 'an informer over events' });
describeCollectionConformance(() => overSource((events) => fromEvents(events), latestOnly), {
  name: 'an informer that keeps the latest of a batch',
});
describeCollectionConformance(
  () => overSource((events) => mergeSources({ east: events, west: fromEvents([listed<Pod>([])]) })),
  { name: 'an informer over merged sources' },
);
describeCollectionConformance(
  () => {
    const collection = createIndexer<Pod, 'node'>(metaNamespaceKey, indexers, quiet);
    return {
      collection,
      replace: (pods) => collection.replace(pods),
      upsert: (pod) => collection.add(pod),
      remove: (pod) => collection.delete(pod),
    };
  },
  { name: 'an indexer' },
);
