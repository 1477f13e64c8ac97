/** A container whose log is followed. */
export interface LogTarget {
  readonly uid: string;
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** Whether the log has its own stream, or is read periodically. */
  readonly mode: 'stream' | 'poll';
}

/** Returns the identity of a target's stream. Targets with equal keys share one stream. */
export function targetKey({ uid, container, mode }: LogTarget): string {
  return `${uid} ${container} ${mode}`;
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
