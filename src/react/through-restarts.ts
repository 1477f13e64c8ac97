import { filter, identity, repeat, type MonoTypeOperatorFunction } from 'rxjs';
import type { Collection } from '../informer/collection.js';
import type { Informer } from '../informer/informer.js';

/**
 * Goes on with what an informer that was stopped says when somebody has started it again: its streams complete when it stops, and a component
 * that stays would show for ever what it had then (G6). It starts nothing itself.
 */
export function throughRestarts<V>({
  status$,
}: Collection<unknown> & Partial<Pick<Informer<unknown>, 'status$'>>): MonoTypeOperatorFunction<V> {
  if (!status$) return identity;
  return repeat({ delay: () => status$.pipe(filter(({ state }) => state !== 'stopped')) });
}
