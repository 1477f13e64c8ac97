/**
 * Thrown if a process of the benchmark failed. The message has the name of the process, the reason,
 * and its last output.
 */
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
