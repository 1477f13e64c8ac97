/**
 * Returns the path of the Kubernetes API on the page's origin. The default is the root. The query
 * parameter `api` names another path: `?api=/k8s` for `kubectl proxy --api-prefix=/k8s`, or
 * `?api=/contexts/prod` for another context of the dashboard's server.
 *
 * Accepts only a path, so that a link cannot make the page read from another server.
 */
export function apiBaseOf(search: string): string {
  const requested = new URLSearchParams(search).get('api') ?? '';
  return /^(\/(?:[\w.~-]|%[\da-f]{2})+)+\/?$/i.test(requested) ? requested.replace(/\/$/, '') : '';
}

/**
 * Returns the namespace in an address, or `undefined` if the text cannot be part of a request path.
 */
export function namespaceOf(text: string): string | undefined {
  return /^[a-z\d]([-a-z\d]{0,61}[a-z\d])?$/.test(text) ? text : undefined;
}
