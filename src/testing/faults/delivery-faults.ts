import {
  concatMap,
  defer,
  dematerialize,
  map,
  materialize,
  of,
  timer,
  type SchedulerLike,
  connect,
  endWith,
  filter,
  from,
  ignoreElements,
  merge,
  takeUntil,
  tap,
  type ObservableInput,
  asyncScheduler,
  concat,
  EMPTY,
  type ObservableNotification,
} from 'rxjs';
import type { AnyKubernetesObject } from '../../kubernetes/object.js';
import { steady } from '../../scheduling/clock.js';
import { toBatch, type ChangeEvent, type WatchEvent, type WatchEventBatch } from '../../sources/model/watch-event.js';
import { type SourceFault, isChange, objectIdentity } from './source-fault.js';

/**
 * Delays everything and keeps the order, like a slow network.
 *
 * | in | out |
 * | --- | --- |
 * | a batch, the error, completion | the same after `duration`, or later if an earlier batch takes longer |
 *
 * @param duration milliseconds, or a function that returns them for each batch
 * @param scheduler default `asyncScheduler`
 * @example
 * const jittery = watchMarbles('L(a)-M(a)|', { a: aPod({ name: 'a' }) }).pipe(
 *   sourceFaults.delay(() => 50 + 100 * Math.random()),
 * );
 */
export function delay<T>(duration: number | (() => number), scheduler?: SchedulerLike): SourceFault<T> {
  const clock = steady(scheduler);
  const next = typeof duration === 'function' ? duration : () => duration;
  return (source) =>
    source.pipe(
      map(toBatch),
      materialize(),
      map((notification) => ({ notification, due: clock.now() + next() })),
      concatMap(({ notification, due }) =>
        defer(() => {
          const wait = due - clock.now();
          return wait > 0 ? timer(wait, clock).pipe(map(() => notification)) : of(notification);
        }),
      ),
      dematerialize(),
    );
}

/** Options of `sourceFaults.duplicate`. */
export interface DuplicateOptions<T> {
  /** The number of times that an event is emitted; default 2. */
  readonly times?: number | undefined;
  /** Selects the changes that are duplicated; default: all. */
  readonly which?: ((event: ChangeEvent<T>) => boolean) | undefined;
}

/**
 * Emits each change several times in a row.
 *
 * | in | out |
 * | --- | --- |
 * | `ADDED` `MODIFIED` `DELETED` for which `which` returns true | the same event `times` times, in the same batch |
 * | anything else | the same |
 *
 * @example
 * const source = watchMarbles('L(a)-M(a)|', { a: aPod({ name: 'a' }) }).pipe(
 *   sourceFaults.duplicate({ times: 3 }),
 * );
 */
export function duplicate<T>(options: DuplicateOptions<T> = {}): SourceFault<T> {
  const { times = 2, which = () => true } = options;
  return map((emitted) =>
    toBatch(emitted).flatMap((event) =>
      isChange(event) && which(event) ? Array.from({ length: times }, () => event) : [event],
    ),
  );
}

/**
 * Emits the last changes again, as if a watch were started from an older version than the last
 * received version.
 *
 * | in | out |
 * | --- | --- |
 * | anything | the same |
 * | `notifier` emits | the last `count` changes since the last `LISTED`, in their order, as one batch |
 * | `notifier` emits before any change | nothing |
 *
 * An object goes through its last states again, and ends in the same state. Each subscription
 * subscribes to the notifier.
 *
 * @param notifier emits when changes are to be repeated
 * @param count the number of changes; default 10
 * @example
 * const source = watchMarbles('L(a)-M(a)--', { a: aPod({ name: 'a' }) }).pipe(
 *   sourceFaults.repeat(timer(10)),
 * );
 */
export function repeat<T>(notifier: ObservableInput<unknown>, count = 10): SourceFault<T> {
  return (source) =>
    defer(() => {
      let recent: readonly ChangeEvent<T>[] = [];
      const repeated$ = from(notifier).pipe(
        map(() => recent),
        filter((changes) => changes.length > 0),
      );
      return source.pipe(
        map(toBatch),
        tap((batch) => {
          recent = batch.reduce(remember, recent).slice(-count);
        }),
        connect((batches$) =>
          merge(batches$, repeated$.pipe(takeUntil(batches$.pipe(ignoreElements(), endWith(undefined))))),
        ),
      );
    });
}

/** Returns the changes to repeat; a list removes those before it, which could restore objects. */
function remember<T>(recent: readonly ChangeEvent<T>[], event: WatchEvent<T>): readonly ChangeEvent<T>[] {
  if (event.type === 'LISTED') return [];
  return isChange(event) ? [...recent, event] : recent;
}

/**
 * Reorders the changes of different objects within a batch. Kubernetes defines no order between
 * them.
 *
 * | in | out |
 * | --- | --- |
 * | `ADDED` `MODIFIED` `DELETED` of one object | in the same order |
 * | `ADDED` `MODIFIED` `DELETED` of several objects in one batch | in any order |
 * | anything else | keeps its place; no change moves across it |
 *
 * @param random decides the order; default `Math.random`
 * @example
 * const a = aPod({ name: 'a' });
 * const b = aPod({ name: 'b' });
 * const source = watchMarbles('L()[A(ab)M(ab)]|', { a, b }).pipe(
 *   sourceFaults.reorder(randomFromSeed(7)),
 * );
 */
export function reorder<T extends AnyKubernetesObject>(random: () => number = Math.random): SourceFault<T> {
  return map((emitted) => {
    const out: WatchEvent<T>[] = [];
    let changes: ChangeEvent<T>[] = [];
    for (const event of toBatch(emitted)) {
      if (isChange(event)) {
        changes.push(event);
        continue;
      }
      out.push(...mixed(changes, random), event);
      changes = [];
    }
    return [...out, ...mixed(changes, random)];
  });
}

/** Shuffles the changes; the changes of one object stay in order. */
function mixed<T extends AnyKubernetesObject>(
  changes: readonly ChangeEvent<T>[],
  random: () => number,
): readonly ChangeEvent<T>[] {
  const turns = shuffled(changes.map(identity), random);
  const waiting = new Map<string, ChangeEvent<T>[]>();
  for (const change of changes) waiting.set(identity(change), [...(waiting.get(identity(change)) ?? []), change]);
  return turns.flatMap((turn) => waiting.get(turn)?.splice(0, 1) ?? []);
}

function identity<T extends AnyKubernetesObject>({ partition = '', object }: ChangeEvent<T>): string {
  return `${partition}:${objectIdentity(object)}`;
}

function shuffled<T>(values: readonly T[], random: () => number): readonly T[] {
  return values
    .map((value) => ({ value, place: random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ value }) => value);
}

/** Options of `sourceFaults.split`. */
export interface SplitOptions {
  /** The largest number of events in one batch; default 1. */
  readonly size?: number | undefined;
  /** The shortest time between two batches, in milliseconds; default 0. */
  readonly interval?: number | undefined;
  /** The clock of `interval`. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike | undefined;
}

/**
 * Emits batches in pieces.
 *
 * | in | out |
 * | --- | --- |
 * | a batch of up to `size` events | the same |
 * | a larger batch | batches of up to `size` events, in order; a `LISTED` stays one event |
 * | the error, completion | the same, after all earlier events |
 *
 * @example
 * const drip = watchMarbles('L()[A(a)M(a)]|', { a: aPod({ name: 'a' }) }).pipe(
 *   sourceFaults.split({ interval: 100 }),
 * );
 */
export function split<T>(options: SplitOptions = {}): SourceFault<T> {
  const { size = 1, interval = 0, scheduler = asyncScheduler } = options;
  const pause = interval > 0 ? timer(interval, scheduler).pipe(ignoreElements()) : EMPTY;
  return (source) =>
    source.pipe(
      map(toBatch),
      materialize(),
      concatMap((notification) => from(pieces(notification, size))),
      concatMap((piece) => concat(of(piece), pause)),
      dematerialize(),
    );
}

function pieces<T>(
  notification: ObservableNotification<WatchEventBatch<T>>,
  size: number,
): readonly ObservableNotification<WatchEventBatch<T>>[] {
  if (notification.kind !== 'N') return [notification];
  const { value } = notification;
  const count = Math.max(1, Math.ceil(value.length / size));
  return Array.from({ length: count }, (_, position) => ({
    kind: 'N',
    value: value.slice(position * size, (position + 1) * size),
  }));
}
