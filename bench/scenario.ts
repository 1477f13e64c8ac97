/** What one contestant measured in one process: figures by metric. */
export type Figures = Readonly<Record<string, number>>;

/** Something that is measured, and how its figures read. */
export interface Metric {
  readonly title: string;
  readonly unit:
    | 'ms'
    | 'µs'
    | 'MB'
    | 'bytes'
    | 'KB'
    | 'events/s'
    | 'adds/s'
    | 'runs/s'
    | 'arrays'
    | 'emissions'
    | 'objects'
    | 'KB/min'
    | '%'
    | '×'
    | 'connections';
  readonly better: 'lower' | 'higher';
}

/** One figure of a scenario: whose, and of which metric. */
export interface FigureOf {
  readonly contestant: string;
  readonly metric: string;
}

/**
 * What must be reached, as `figure` compared with `factor` × `reference`, or with a number where the measure is absolute.
 *
 * Ratios are of medians that were measured in one run; only they can be compared between machines.
 */
export interface Target {
  readonly figure: FigureOf;
  readonly is: 'at most' | 'at least';
  readonly factor: number;
  /** `undefined`: `factor` is the limit itself, in the unit of the metric. */
  readonly reference?: FigureOf;
}

/** One question to the library and to its peers, answered with figures. */
export interface Scenario {
  /** In kebab-case: the name on the command line and of the chart. */
  readonly name: string;
  readonly title: string;
  /** What is done and what is measured, as a paragraph of Markdown. */
  readonly description: string;
  readonly contestants: readonly string[];
  readonly metrics: Readonly<Record<string, Metric>>;
  readonly targets: readonly Target[];
  /** What the server's process offers; without it there is none. */
  readonly server?: (scale: Scale) => ServerContent;
  /** How often each contestant runs (default: as the command line says). What takes minutes runs once. */
  readonly rounds?: number;
  /** Options for the Node of each contestant's process, beside `--expose-gc`. */
  readonly nodeOptions?: readonly string[];
  /** Runs in a process of its own, one for each contestant and round. */
  readonly run: (contestant: string, context: RunContext) => Promise<Figures>;
}

/** How large a run is: the full one is what `docs/performance.md` shows, the quick one says that everything still works. */
export type Scale = 'full' | 'quick';

/** What the server's process is asked to serve: plain data, because it goes to another process. */
export interface ServerContent {
  readonly pods: number;
  /** MODIFIED events that a plain watch sends, as fast as they are read (default 0). */
  readonly events?: number;
  /** How many events of one pod follow one another (default 1): a status storm has many. */
  readonly eventsPerPod?: number;
  /** Writes a second, each stamped with when it was made, instead of events as fast as they are read. */
  readonly writesPerSecond?: number;
  /** A watch says 410 at once, so that whoever watches lists again, this many times (default 0). */
  readonly expirations?: number;
}

export interface RunContext {
  readonly scale: Scale;
  /** Of the server, for example `http://127.0.0.1:40123`; `''` without one. */
  readonly url: string;
  readonly content: ServerContent | undefined;
}
