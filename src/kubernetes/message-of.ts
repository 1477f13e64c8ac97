/** The words of whatever was thrown; errors of another realm (a worker, a test runner's sandbox) are no `instanceof Error`. */
export function messageOf(cause: unknown): string {
  const { message, name } = (cause ?? {}) as { readonly message?: unknown; readonly name?: unknown };
  if (typeof message === 'string' && message !== '') return message;
  if (typeof message === 'string' && typeof name === 'string') return name;
  return String(cause);
}
