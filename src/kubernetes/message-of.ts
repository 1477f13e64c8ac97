/**
 * Returns the message of anything that was thrown: its `message`, its `name`, or else what `String` makes of it. Errors of another
 * realm (a worker, a test runner's sandbox) are no `instanceof Error`.
 *
 * Never throws: what has no text (`Object.create(null)`, an object that throws when it is read) is described by its type.
 */
export function messageOf(cause: unknown): string {
  try {
    const { message, name } = (cause ?? {}) as { readonly message?: unknown; readonly name?: unknown };
    if (typeof message === 'string' && message !== '') return message;
    if (typeof message === 'string' && typeof name === 'string') return name;
    return String(cause);
  } catch {
    return `a thrown value of type ${typeof cause} without a text`;
  }
}
