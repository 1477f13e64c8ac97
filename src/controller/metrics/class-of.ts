/** The labels of an error: its class and, where the API server answered, the HTTP status. Both have few values. */
export function classOf(error: Error): { readonly error: string; readonly code: string } {
  const { statusCode } = error as { readonly statusCode?: unknown };
  return { error: error.name, code: typeof statusCode === 'number' ? String(statusCode) : '' };
}
