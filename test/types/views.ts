import { expectTypeOf } from 'expect-type';
import { bucket, conflateChanges, type ChangeSet, type Collection, type Informer, type Pod } from 'rx-informers';
import {
  coalesceFrames,
  emptyWindow,
  externalStores,
  nextFrame,
  pauseWhile,
  toExternalStore,
  window$,
  type ExternalStore,
  type ExternalStores,
  type View,
} from 'rx-informers/views';
import type { Observable } from 'rxjs';

declare const podInformer: Informer<Pod, 'node' | 'phase'>;
declare const podCollection: Collection<Pod, 'node'>;
declare const hidden$: Observable<boolean>;

// The collection of a window determines the types of its rows, its columns and its index.
expectTypeOf(window$(podInformer)).toEqualTypeOf<Observable<View<Pod>>>();
expectTypeOf(window$(podCollection, { index: ['node', 'n1'] })).toEqualTypeOf<Observable<View<Pod>>>();
expectTypeOf(window$(podInformer.changes$, { limit: 3 })).toEqualTypeOf<Observable<View<Pod>>>();
window$(podInformer, {
  where: (pod) => pod.metadata.name !== '',
  sortBy: [{ value: (pod) => pod.metadata.creationTimestamp, direction: 'descending' }],
});
// @ts-expect-error there is no such index
window$(podInformer, { index: ['nodde', 'n1'] });
// @ts-expect-error change sets have no index
window$(podInformer.changes$, { index: ['node', 'n1'] });
// @ts-expect-error nothing can be sorted by an object
window$(podInformer, { sortBy: [{ value: (pod) => pod.metadata }] });

// The type of a store includes the values of its stream and the initial value.
expectTypeOf(toExternalStore(podInformer.list$(), [])).toEqualTypeOf<ExternalStore<readonly Pod[]>>();
expectTypeOf(toExternalStore(podInformer.get$('a'), undefined)).toEqualTypeOf<ExternalStore<Pod | undefined>>();
expectTypeOf(toExternalStore(podInformer.errors$, undefined).getSnapshot()).toBeNullable();
expectTypeOf(toExternalStore(window$(podInformer), emptyWindow)).toEqualTypeOf<ExternalStore<View<Pod>>>();
expectTypeOf(externalStores(podInformer)).toEqualTypeOf<ExternalStores<Pod, 'node' | 'phase'>>();
// @ts-expect-error there is no such index
externalStores(podInformer).query(bucket('nodde', 'n1'));

// Operators for frames and pauses keep the type of the stream.
expectTypeOf(podInformer.list$().pipe(pauseWhile(hidden$), coalesceFrames())).toEqualTypeOf<
  Observable<readonly Pod[]>
>();
expectTypeOf(podInformer.changes$.pipe(conflateChanges({ release: nextFrame(), leading: true }))).toEqualTypeOf<
  Observable<ChangeSet<Pod>>
>();
externalStores(podInformer, { through: (value$) => value$.pipe(pauseWhile(hidden$), coalesceFrames()) });
