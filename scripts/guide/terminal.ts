/** The place where the commands of a page run. */
export interface Terminal {
  /** The folder of the page. It is empty at first, and removed at the end. */
  readonly folder: string;
  /**
   * The working directory: `folder`, or the directory in it to which the commands so far have
   * changed.
   */
  readonly directory: string;
  readonly environment: NodeJS.ProcessEnv;
}
