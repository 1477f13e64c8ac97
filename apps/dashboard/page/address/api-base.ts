/**
 * Returns the path of the Kubernetes API on the page's origin. The default is the root. The query
 * parameter `context` names another context of the dashboard's server. The parameter `api` names
 * any path: `?api=/k8s` for `kubectl proxy --api-prefix=/k8s`.
 *
 * Accepts only a path, so that a link cannot make the page read from another server.
 */
export function apiBaseOf(search: string): string {
  const parameters = new URLSearchParams(search);
  const context = contextNameOf(parameters.get('context') ?? '');
  if (context !== undefined) return baseOfContext(context);
  const requested = parameters.get('api') ?? '';
  return /^(\/(?:[\w.~-]|%[\da-f]{2})+)+\/?$/i.test(requested) ? requested.replace(/\/$/, '') : '';
}

/** Returns the path of a context on the dashboard's server. */
export function baseOfContext(context: string): string {
  return `/contexts/${encodeURIComponent(context)}`;
}

/**
 * Returns the context in an address, or `undefined` if the text is not valid in a path: `..` would
 * lead to another path.
 */
export function contextNameOf(text: string): string | undefined {
  return /^\.{0,2}$/.test(text) ? undefined : text;
}

/**
 * Returns the namespace in an address, or `undefined` if the text cannot be part of a request path.
 */
export function namespaceOf(text: string): string | undefined {
  return /^[a-z\d]([-a-z\d]{0,61}[a-z\d])?$/.test(text) ? text : undefined;
}
