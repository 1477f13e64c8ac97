/**
 * Where the Kubernetes API is, seen from the page: at the root of its origin, or below the path that the page is opened with (`?api=/k8s`,
 * for `kubectl proxy --api-prefix=/k8s`).
 *
 * Only a path is taken: a link must not make the page read from another server.
 */
export function apiBaseOf(search: string): string {
  const asked = new URLSearchParams(search).get('api') ?? '';
  return /^(\/[\w.~-]+)+\/?$/.test(asked) ? asked.replace(/\/$/, '') : '';
}
