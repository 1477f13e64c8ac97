import { connect, filter, from, map, merge, mergeMap, scan, take, takeUntil, type Observable } from 'rxjs';
import type { LogEvent } from './follow-log.js';

/** A container whose log is followed. */
export interface LogTarget {
  /** The context of the pod, if several are shown. */
  readonly context?: string | undefined;
  readonly uid: string;
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** Whether the log has its own stream, or is read periodically. */
  readonly mode: 'stream' | 'poll';
}

/** An event of the logs of a selection. */
export type SelectionEvent = { readonly target: LogTarget } & (LogEvent | { readonly type: 'left' });

/** Returns the identity of a target's stream. Targets with equal keys share one stream. */
export function targetKey({ uid, container, mode }: LogTarget): string {
  return `${uid} ${container} ${mode}`;
}

/**
 * Follows the logs of a changing selection. Opens the log of each new target. Closes the log of
 * each removed target and emits `left`. All other logs continue.
 */
export function followSelection(
  target$: Observable<readonly LogTarget[]>,
  open: (target: LogTarget) => Observable<LogEvent>,
): Observable<SelectionEvent> {
  return target$.pipe(
    connect((shared$) => {
      const left = (key: string): Observable<unknown> =>
        shared$.pipe(
          filter((targets) => !targets.some((target) => targetKey(target) === key)),
          take(1),
        );
      return shared$.pipe(
        scan(
          ({ keys }, targets) => ({
            keys: new Set(targets.map(targetKey)),
            joined: targets.filter((target) => !keys.has(targetKey(target))),
          }),
          { keys: new Set<string>(), joined: [] as readonly LogTarget[] },
        ),
        mergeMap(({ joined }) => from(joined)),
        mergeMap((target) => {
          const left$ = left(targetKey(target));
          return merge(
            open(target).pipe(
              map((event): SelectionEvent => ({ target, ...event })),
              takeUntil(left$),
            ),
            left$.pipe(map((): SelectionEvent => ({ target, type: 'left' }))),
          );
        }),
      );
    }),
  );
}

/** The maximum number of logs that are followed at once. */
export interface LogCapacity {
  /** The number of streamed logs. Each one needs a connection while it is followed. */
  readonly streams: number;
  /** The number of polled logs. They are read one after the other. */
  readonly polls: number;
}

/**
 * Returns the mode of each target: the first ones are streamed, the next ones are polled. Omits all
 * others.
 */
export function withModes(
  targets: readonly Omit<LogTarget, 'mode'>[],
  { streams, polls }: LogCapacity,
): readonly LogTarget[] {
  return targets
    .slice(0, streams + polls)
    .map((target, at): LogTarget => ({ ...target, mode: at < streams ? 'stream' : 'poll' }));
}
