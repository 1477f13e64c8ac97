import type { IncomingHttpHeaders } from 'node:http';
import { isApiPath, isTunnel } from './api-path.js';
import type { Failure } from './failure.js';
import { pathOf, pathSegments } from './request-path.js';

/** What is judged of a request. */
export interface Admissible {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

/** Where a request goes, or why it goes nowhere. */
export type Admission =
  | { readonly type: 'api'; readonly path: string; readonly query: string }
  | { readonly type: 'page'; readonly path: string }
  | { readonly type: 'refused'; readonly failure: Failure };

export interface AdmissionOptions {
  /** Whether methods other than GET and HEAD reach the API server. */
  readonly allowWrites: boolean;
}

/** The names of this machine that no name server can point elsewhere. The port says nothing: it may be forwarded. */
const loopback = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i;

/** Without what begins a fragment: one program would send it on, another one cut it off. */
const wellFormedQuery = /^[!"$-~]*$/;

/** So much of the Kubernetes API has a use in a page; TRACE and whatever else there is has none. */
const writes: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/**
 * Decides on a request by its head. Pure.
 *
 * | request | because of |
 * | --- | --- |
 * | `Host` is no name of this machine: refused | DNS rebinding: a page whose own name suddenly points here |
 * | `Origin` is not this server, or `Sec-Fetch-Site` says so: refused | another page in the same browser, another port of this machine |
 * | anything that wants to become another protocol: refused | WebSockets are not bound by the same-origin rule |
 * | exec, attach, portforward, proxy: refused | they reach beyond the API |
 * | a path or a query that can be read in two ways: refused | what is judged must be what is sent |
 * | a write, without `allowWrites`: refused | looking must not change anything |
 */
export function admit({ method = '', url = '', headers }: Admissible, { allowWrites }: AdmissionOptions): Admission {
  const host = headers.host ?? '';
  if (!loopback.test(host)) {
    return refused(403, `this server answers to localhost only, not to the name ${JSON.stringify(host)}`);
  }
  if (headers.origin !== undefined && headers.origin.toLowerCase() !== `http://${host.toLowerCase()}`) {
    return refused(403, `the page of ${headers.origin} has no access to this server`);
  }
  if (headers.upgrade !== undefined) return refused(403, 'connections are not upgraded');
  const { path, query } = splitTarget(url);
  const segments = pathSegments(path);
  if (segments === undefined) return refused(400, 'the path of the request is malformed');
  if (!isApiPath(segments)) {
    return isForeign(headers) && !isNavigation(headers)
      ? refused(403, 'other pages have no access to this server')
      : { type: 'page', path: pathOf(segments) };
  }
  if (isForeign(headers)) return refused(403, 'other pages have no access to this server');
  if (!wellFormedQuery.test(query)) return refused(400, 'the query of the request is malformed');
  if (isTunnel(segments)) return refused(403, 'exec, attach, portforward and proxy are not available here');
  if (method === 'GET' || method === 'HEAD') return { type: 'api', path: pathOf(segments), query };
  if (!writes.has(method)) return refused(405, `${method} is not a method of the Kubernetes API`);
  if (!allowWrites) return refused(403, `${method} is refused: the dashboard was started without --allow-writes`);
  return { type: 'api', path: pathOf(segments), query };
}

function refused(code: Failure['code'], message: string): Admission {
  return { type: 'refused', failure: { code, message } };
}

/** The browser's own word on who asks; what sends none is no browser that runs foreign pages. `none`: the address bar. */
function isForeign(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

/** A link from elsewhere may lead to the page, at the top of a tab. */
function isNavigation(headers: IncomingHttpHeaders): boolean {
  return headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
}

function splitTarget(url: string): { readonly path: string; readonly query: string } {
  const at = url.indexOf('?');
  return at === -1 ? { path: url, query: '' } : { path: url.slice(0, at), query: url.slice(at) };
}
