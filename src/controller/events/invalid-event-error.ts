/** An event that the API server would refuse, whoever sent it; it was not sent. */
export class InvalidEventError extends Error {
  override readonly name = 'InvalidEventError';
  constructor(
    /** What the event should have been about, as it was given. */
    readonly regarding: unknown,
    /** What is wrong, for example `the reason is empty`. */
    readonly problem: string,
  ) {
    super(`the event cannot be recorded: ${problem}`);
  }
}
