/** Ends the program with a plain message about what it cannot do, and exit code 1. */
export function stopWith(what: string): (error: unknown) => never {
  return (error) => {
    console.error(`${what}: ${describeError(error)}`);
    process.exit(1);
  };
}

/** The message of an error, and those of its causes. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message} (${describeError(error.cause)})`;
}
