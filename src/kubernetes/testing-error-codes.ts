import type { KubernetesStatus } from './object.js';

/** Errors of `rx-informers/testing`. */
export interface TestingErrorFields {
  /**
   * A feature of `rx-informers/testing`, or the command `rx-informers types`, needs a package that
   * is not installed. The message has the command that installs it.
   *
   * **What to do**: Run the command. These packages are optional because only tests and tools need
   * them. A browser cannot load them: in a browser, pass objects or JSON instead of YAML.
   */
  RXI_MISSING_PACKAGE: {
    /** The missing package, for example `yaml`. */
    readonly packageName: string;
    /** The feature that needs the package, for example `server.apply with YAML`. */
    readonly feature: string;
  };

  /**
   * A test of a conformance suite failed. Test runners show the difference between `actual` and
   * `expected`.
   *
   * **What to do**: Correct the implementation under test; the message names the rule.
   */
  RXI_CONFORMANCE: { readonly promise: string; readonly actual: unknown; readonly expected: unknown };

  /**
   * In a test with `informerTest`, a function of a derived collection or of an index has read a
   * live collection through a variable. Its result does not change with that collection, so it
   * becomes stale. Outside of `informerTest`, this is a warning on the console, in development
   * only.
   *
   * **What to do**: Compute the row with `derive`, and read the collection through the parameter of
   * its function.
   */
  RXI_LIVE_READ: object;

  /**
   * A marble diagram cannot be parsed. The message shows the diagram with a caret under the
   * position.
   *
   * **What to do**: Correct the diagram.
   */
  RXI_MARBLE_SYNTAX: {
    readonly diagram: string;
    /** The column of the problem, counted from 1. */
    readonly column: number;
    readonly problem: string;
  };

  /**
   * A stream differs from its diagram. The message shows the expected and the actual moments side
   * by side.
   *
   * **What to do**: Compare the two columns. Each line is one moment, and each difference is
   * marked.
   */
  RXI_MARBLE_ASSERTION: {
    /** The tested stream, for example `byIndex$("node", "n1")`. */
    readonly subject: string;
    readonly expected: readonly { readonly frame: number; readonly label: string; readonly detail?: string }[];
    readonly actual: readonly { readonly frame: number; readonly label: string; readonly detail?: string }[];
  };

  /**
   * A run of `simulate` failed. The message has the timeline of the run, in which each fault is
   * necessary for the failure.
   *
   * **What to do**: Correct the controller. Pass `schedule` to `simulate` to repeat the run, or
   * `seed` with `runs: 1` to repeat it with all of its faults.
   */
  RXI_SIMULATION: {
    /**
     * What failed: `goal`, `end-state`, `writes`, `error`, `rejection`, `timers`,
     * `nondeterminism`, or `invariant` with its name.
     */
    readonly kind: string;
    /** The seed of the run; `undefined` for the run without faults, and for a given schedule. */
    readonly seed: number | undefined;
    /** The choices that differ from the usual course: the option `schedule` of `simulate`. */
    readonly schedule: readonly string[];
    /** The choices, commits and failures of the run, with their times. */
    readonly timeline: string;
  };

  /**
   * The embedded API server refused a call of one of its methods, such as `server.apply`. A client
   * of the server receives `RXI_STATUS` instead.
   *
   * **What to do**: Correct the call; `status` is what the server would respond with.
   */
  RXI_API: {
    readonly status: KubernetesStatus & { readonly code: number };
    /** Further fields of `metadata`; for an expired list, with a new continue token. */
    readonly metadata: Readonly<Record<string, string>>;
  };
}
