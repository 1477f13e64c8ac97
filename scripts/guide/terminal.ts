/** Where the commands of a page are typed. */
export interface Terminal {
  /** Empty to begin with, and thrown away in the end. */
  readonly folder: string;
  /** In that folder, where the commands so far have led to. */
  readonly directory: string;
  readonly environment: NodeJS.ProcessEnv;
}
