/** A check of `.ci/run`. */
export interface Step {
  readonly name: string;
  /** A command line for bash, run in the root of the project. */
  readonly command: string;
  /**
   * Names of earlier steps that must have passed, because this step reads the files that they
   * write.
   */
  readonly after?: readonly string[];
  /**
   * How many processors the step keeps busy: a fraction if it waits most of the time, `Infinity` if
   * it needs a machine of its own. Default: 1.
   */
  readonly processors?: number;
  /**
   * Matches the paths that the step reads, besides the sources. The step is left out if none of
   * them has changed. Default: the step always runs.
   */
  readonly inputs?: RegExp;
  /** True if the step starts the API servers of ../shared/rig. Default: false. */
  readonly needsRig?: true;
  /** Minutes after which the step is ended and counts as failed. Default: 15. */
  readonly minutes?: number;
}

const houses = 'packages of the houses';
const tools = 'Chromium, kubectl';
const pack = 'npm pack';

/** Installs Chromium and kubectl, if they are missing. */
export const installTools: Step = { name: tools, command: 'scripts/ci/tools.sh' };

/** Builds and packs the package. Other steps install the tarball. */
export const packPackage: Step = { name: pack, command: 'npm pack --silent --pack-destination "$(mktemp -d)"' };

/**
 * Installs the packages of houses. No other step runs meanwhile, because it would find these
 * folders half full.
 */
export const installHouses = (...folders: readonly string[]): Step => ({
  name: houses,
  command: `node scripts/install.mjs ${folders.join(' ')}`,
  processors: Infinity,
});

/**
 * The checks after each change, in the order in which they start. Steps that wait for servers come
 * first, then long steps, so that shorter steps fill the processors beside them. All random tests
 * have fixed seeds, and no step judges how long something takes: `nightlySteps` has those that do.
 */
export const changeSteps: readonly Step[] = [
  { name: 'npm test', command: 'scripts/ci/readme.sh test', processors: Infinity },
];
