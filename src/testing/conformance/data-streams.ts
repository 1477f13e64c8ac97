import { map, type Observable } from 'rxjs';
import type { Collection } from '../../informer/collection.js';
import { conformanceObject, type ConformanceObject } from './conformance-object.js';
import { textOf, textOfAll, textOfChanges } from './text.js';

const b1 = conformanceObject('b', 1, 'n2');

export type CollectionOfObjects = Collection<ConformanceObject, 'node'>;

/** Every data stream of a collection, as text. */
export const dataStreams: readonly (readonly [
  name: string,
  open: (pods: CollectionOfObjects) => Observable<string>,
])[] = [
  ['byIndex$', (pods) => pods.byIndex$('node', 'n1').pipe(map(textOfAll))],
  ['byIndexChanges$', (pods) => pods.byIndexChanges$('node', 'n1').pipe(map(textOfChanges))],
  ['get$', (pods) => pods.get$('a').pipe(map((pod) => (pod === undefined ? 'nothing' : textOf(pod))))],
  ['list$', (pods) => pods.list$().pipe(map(textOfAll))],
  ['list$(selector)', (pods) => pods.list$('app=x').pipe(map(textOfAll))],
  ['indexValues$', (pods) => pods.indexValues$('node').pipe(map((values) => values.join(' ')))],
  ['index$', (pods) => pods.index$('node', b1).pipe(map(textOfAll))],
  ['index$ of an object in no bucket', (pods) => pods.index$('node', { ...b1, spec: {} }).pipe(map(textOfAll))],
  [
    'select$',
    (pods) =>
      pods
        .select$((snapshot) => [snapshot.byIndex('node', 'n1'), snapshot.byIndex('node', 'n2')])
        .pipe(map((buckets) => buckets.map(textOfAll).join(' | '))),
  ],
  ['snapshot$', (pods) => pods.snapshot$.pipe(map(({ version }) => `version ${version}`))],
  ['changes$', (pods) => pods.changes$.pipe(map(textOfChanges))],
];
