import type { Collection, Indexer } from 'rx-informers';
import type { DerivedCollection } from 'rx-informers/derived';
import type { CollectionUnderTest } from 'rx-informers/testing';
import type { Pod } from '../../fixtures/pods.js';

/**
 * Returns a running derived collection in the form that the conformance suite tests. Each write of
 * the suite changes the input of the collection.
 */
export function fedBy(
  pods: Pick<Indexer<Pod>, 'add' | 'delete' | 'replace'>,
  collection: Collection<Pod, 'node'> & Pick<DerivedCollection<Pod>, 'connect'>,
): CollectionUnderTest {
  collection.connect();
  return {
    collection,
    replace: (all) => pods.replace(all),
    upsert: (pod) => pods.add(pod),
    remove: (pod) => pods.delete(pod),
  };
}
