import type { RequestLine } from '../source-error.js';
import type { KubeRequest } from './kube-client.js';

/** Method, path and query of a request, as they stand in the first line of it and in every error about it. */
export function requestLine({ method, path, query = {} }: KubeRequest): RequestLine {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.append(name, String(value));
  }
  return { method, url: parameters.size === 0 ? path : `${path}?${parameters}` };
}

/**
 * The URL of a request at a server, which may have a path of its own; with no server (`''`) it is relative to the page's origin.
 *
 * There is exactly one slash between the two: a path without one, or with two, must not name another host.
 */
export function requestUrl(baseUrl: string, { url }: RequestLine): string {
  return `${baseUrl.replace(/\/+$/, '')}/${url.replace(/^\/+/, '')}`;
}
