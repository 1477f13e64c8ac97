/** A process of the benchmark did not do its work; the message says which one, why, and what it printed last. */
export class WorkerError extends Error {
  override readonly name = 'WorkerError';

  constructor(
    readonly title: string,
    readonly reason: string,
    readonly output: string,
  ) {
    super([`${title}: ${reason}`, output.trimEnd()].filter((part) => part !== '').join('\n'));
  }
}
