import { createIndexer, type Indexer } from 'rx-informers';
import { metaNamespaceKey } from 'rx-informers/store';
import { aPod, byNode, type Pod } from '../../fixtures/pods.js';

export const quiet = { linger: 0, onUnobservedError: () => undefined };

/** Returns an indexer with the index `node`, filled with pods. */
export function indexerOf(...pods: readonly Pod[]): Indexer<Pod, 'node'> {
  const indexer = createIndexer<Pod, 'node'>(metaNamespaceKey, { node: byNode }, { freeze: false });
  indexer.replace(pods);
  return indexer;
}

export const manyPods = (size: number, node: (number: number) => string): Pod[] =>
  Array.from({ length: size }, (_, number) =>
    aPod({ name: `pod-${String(number).padStart(6, '0')}`, node: node(number) }),
  );

/** Collects what `changes$` emits after the state, as text. */
export function changesOf(collection: Pick<Indexer<unknown>, 'changes$'>): string[] {
  const seen: string[] = [];
  collection.changes$.subscribe(({ reason, changes }) => {
    if (reason !== 'initial') seen.push(changes.map(({ type, key }) => `${type} ${key}`).join(', '));
  });
  return seen;
}
