/**
 * The error that says what happened, under those that only say that something did: `fetch failed` has its reason as
 * `cause`, and a host with several addresses one error for each of them.
 *
 * It looks at shapes and not at classes: a test runner's realm has other classes than the network below it.
 */
export function rootCause(error: unknown): unknown {
  if (typeof error !== 'object' || error === null) return error;
  const { errors, cause } = error as { readonly errors?: unknown; readonly cause?: unknown };
  if (Array.isArray(errors) && errors.length > 0) return rootCause(errors[0]);
  return typeof cause === 'object' && cause !== null ? rootCause(cause) : error;
}
