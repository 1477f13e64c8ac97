import type { ReflectorConfig, State, Watching, WatchQuery } from './protocol.js';

/*
 * The times at which a state continues by itself. Those that users can set are in
 * `listWatchDefaults` (`../list-watch-options.ts`); the others are below.
 */

/** Timeouts without an option, in milliseconds. Only tests change them, to wait less. */
export const timeouts = {
  /** For the head of a response. A busy server may need long to start responding. */
  open: 60_000,
  /**
   * For the bookmark that completes a streaming list, since the last object of the initial state.
   * Without it, the server ignores `sendInitialEvents`, or a proxy drops bookmarks (R27 ▲).
   */
  bookmark: 30_000,
};

/** The milliseconds of silence after which a streaming list is given up for pages (R27 ▲). */
export const streamSilence = 3_000;

/** A shorter connection, in milliseconds, without anything new counts as failed (R14). */
export const shortLifetime = 1_000;

/** The time between two reports of the progress of a list, in milliseconds. */
export const reportInterval = 1_000;

/** Returns the time at which a watch should have ended. After it, it counts as dead (G6). */
export function overdueAt(config: ReflectorConfig, query: WatchQuery, headAt: number): number {
  return headAt + query.timeoutSeconds * 1_000 + config.grace;
}

/**
 * The silence after regular bookmarks, in milliseconds, after which a watch counts as dead: 2.2
 * minutes, so that one bookmark may be missing.
 */
const bookmarkSilence = 132_000;

/** Returns the silence after which a watch counts as dead, because it was never silent for long. */
export function maxSilence(config: ReflectorConfig, { memory, bookmarks }: Watching): number {
  return Math.min(
    memory.hasHeartbeat ? config.watchSilence : Infinity,
    bookmarks.areRegular ? bookmarkSilence : Infinity,
  );
}

/** Returns the time at which `state` continues by itself. */
export function reflectorAlarm<T>(config: ReflectorConfig, state: State<T>): number {
  switch (state.name) {
    case 'idle':
      return Infinity;
    case 'waiting':
    case 'paced':
      return state.until;
    case 'listing':
      return state.headAt === undefined ? state.openedAt + timeouts.open : state.lastAt + config.listSilence;
    case 'streaming':
      return state.headAt === undefined
        ? state.openedAt + timeouts.open
        : Math.min(
            state.lastAt + streamSilence,
            state.initialAt + timeouts.bookmark,
            overdueAt(config, state.query, state.headAt),
          );
    case 'watching': {
      const { headAt, openedAt, lastAt, query, memory } = state;
      const end =
        headAt === undefined
          ? openedAt + timeouts.open
          : Math.min(overdueAt(config, query, headAt), lastAt + maxSilence(config, state));
      return Math.min(end, memory.relistAt ?? Infinity, memory.probeAt ?? Infinity);
    }
  }
}
