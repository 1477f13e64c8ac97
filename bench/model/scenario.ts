/** The figures of one contestant in one process, by metric. */
export type Figures = Readonly<Record<string, number>>;

/** A metric, and the way in which its figures are shown. */
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

/** One figure of a scenario: the contestant and the metric. */
export interface FigureOf {
  readonly contestant: string;
  readonly metric: string;
}

/**
 * A target. It compares `figure` with `factor` × `reference`, or with `factor` if there is no
 * reference.
 *
 * A ratio compares medians of one run. Only ratios can be compared between machines.
 */
export interface Target {
  readonly figure: FigureOf;
  readonly is: 'at most' | 'at least';
  readonly factor: number;
  /**
   * The figure to compare with. `undefined`: `factor` is the limit itself, in the unit of the
   * metric.
   */
  readonly reference?: FigureOf;
}

/** A scenario answers one question with figures of this library and of other solutions. */
export interface Scenario {
  /** The name on the command line and of the chart, in kebab-case. */
  readonly name: string;
  readonly title: string;
  /** A description of the work and of the measurement, as a paragraph of Markdown. */
  readonly description: string;
  readonly contestants: readonly string[];
  readonly metrics: Readonly<Record<string, Metric>>;
  readonly targets: readonly Target[];
  /** Returns the content of the server's process. Without it, the scenario has no server. */
  readonly server?: (scale: Scale) => ServerContent;
  /**
   * Returns the reason if the scenario cannot be measured here. Default: the scenario can be
   * measured.
   */
  readonly unavailable?: () => string | undefined;
  /**
   * The number of runs of each contestant, unless the command line sets another number (default
   * {@link ROUNDS}). A scenario that takes minutes runs once.
   */
  readonly rounds?: number;
  /** Options for Node in each contestant's process, in addition to `--expose-gc`. */
  readonly nodeOptions?: readonly string[];
  /** Measures one contestant in one round. The call runs in a process of its own. */
  readonly run: (contestant: string, context: RunContext) => Promise<Figures>;
}

/** The number of rounds of a scenario that has no number of its own. */
export const ROUNDS = 5;

/**
 * The size of a run. `docs/contributing/benchmarks.md` shows the results of a full run. A quick run
 * only checks that everything works.
 */
export type Scale = 'full' | 'quick';

/**
 * The content of the server's process. This is plain data, because it is sent to another process.
 */
export interface ServerContent {
  readonly pods: number;
  /**
   * The number of MODIFIED events that a plain watch sends, as fast as the client reads them
   * (default 0).
   */
  readonly events?: number;
  /**
   * The number of successive events of one pod (default 1). In a status storm, one pod has many
   * successive events.
   */
  readonly eventsPerPod?: number;
  /**
   * The number of writes per second. If set, the server sends events at this rate, each with the
   * time of its writing, instead of as fast as the client reads them.
   */
  readonly writesPerSecond?: number;
  /**
   * If true, the server answers with the whole list and ignores the limit in the request, as a real
   * server does from its cache (default false).
   */
  readonly ignoresLimit?: boolean;
  /**
   * The path of the program of `bench/client-go`. If it is set, clients that request protobuf
   * receive protobuf.
   */
  readonly protobufEncoder?: string;
  /**
   * The number of times that a watch fails with 410 immediately, so that the client lists again
   * (default 0).
   */
  readonly expirations?: number;
}

export interface RunContext {
  readonly scale: Scale;
  /**
   * The URL of the server, for example `http://127.0.0.1:40123`. It is `''` if there is no server.
   */
  readonly url: string;
  readonly content: ServerContent | undefined;
}
