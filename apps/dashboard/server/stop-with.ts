/**
 * Returns an error handler that ends the program with exit code 1 and a message about the failed
 * action.
 */
export function stopWith(what: string): (error: unknown) => never {
  return (error) => {
    console.error(`${what}: ${describeError(error)}`);
    process.exit(1);
  };
}

/** Returns the message of an error, and those of its causes. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message} (${describeError(error.cause)})`;
}
