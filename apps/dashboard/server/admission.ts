import type { IncomingHttpHeaders } from 'node:http';
import { isApiPath, parseApiPath, type ApiPath } from './api-path.js';
import type { Failure } from './failure.js';
import { pathOf, pathSegments } from './request-path.js';
import { isPermittedWrite, isReview } from './writes.js';

/** The parts of a request on which `admit` decides. */
export interface Admissible {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, including repeated headers. */
  readonly rawHeaders?: readonly string[] | undefined;
}

/** The destination of a request, or the reason for its refusal. */
export type Admission =
  | AdmittedRequest
  /** The facts about one cluster that its API does not contain: `/dashboard/info`. */
  | { readonly type: 'info'; readonly context: string | undefined }
  | { readonly type: 'page'; readonly path: string; readonly query: string }
  | { readonly type: 'refused'; readonly failure: Failure };

/** A request that the API server of a context answers. */
export interface AdmittedRequest {
  readonly type: 'api';
  /** The name of the context; `undefined` for the first one. */
  readonly context: string | undefined;
  readonly path: string;
  readonly query: string;
  /** Whether the request is for Secrets whose content must not be forwarded. */
  readonly isSecret: boolean;
  readonly target: ApiPath;
}

export interface AdmissionOptions {
  /** Whether the writes of `isPermittedWrite` reach the API server. */
  readonly allowWrites: boolean;
  /** Whether the content of Secrets is forwarded; default: false. */
  readonly secrets?: boolean;
  /** The public origin of a server where each viewer signs in; default: this machine. */
  readonly site?: Site | undefined;
  /** The names of the contexts with a prefix, `/contexts/{name}`; default: none. */
  readonly contexts?: ReadonlySet<string>;
}

/** The origin at which browsers reach a server: `https://dash.example.com`. */
export interface Site {
  readonly origin: string;
  /** Its host, with the port if that is not the default one. */
  readonly host: string;
}

/**
 * The header that the page adds to each write. A form of another site cannot send it, and a script
 * of another site needs a permission, which this server never grants.
 */
export const writeHeader = 'x-rx-informers-dashboard';

/**
 * The names of this machine that no DNS server can redirect. Any port is accepted, because the port
 * may be forwarded.
 */
const loopback = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i;

/**
 * Matches a query without `#`. That character begins a fragment, which some programs forward and
 * other programs remove.
 */
const wellFormedQuery = /^[!"$-~]*$/;

/**
 * The writing methods of the Kubernetes API that a page needs. TRACE and all other methods are not
 * allowed.
 */
const writes: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/**
 * Decides whether a request is forwarded, and where. Reads only the head of the request. Pure.
 *
 * | request | decision | reason |
 * | --- | --- | --- |
 * | `Host` is not a name of this machine, or of `site`, or occurs twice | refused | DNS rebinding: the name of another site now points to this machine |
 * | `Origin` is not this server, or `Sec-Fetch-Site` names another site | refused | the request comes from another page in the browser, or from another port |
 * | a write to `site` without its `Origin`, or without `writeHeader` (the form of the sign-in has no such header) | refused | the browser sends the viewer's cookie, so the request must prove that it is from the page |
 * | an upgrade to another protocol (`watchSockets` has turned that of a watch into a plain GET) | refused | the same-origin rule does not apply to WebSockets |
 * | exec, attach, portforward, proxy | refused | these requests reach beyond the API |
 * | a path or a query that can be read in two ways | refused | the server must not check one request and forward another |
 * | a write without `allowWrites`, except reviews of the user's own permissions | refused | a read-only page must not change anything |
 * | a write that a dashboard does not need | refused | a page needs no token, no new container and no new object |
 * | reads a Secret, without `secrets` | metadata only | the content stays on the server |
 * | writes a Secret, without `secrets` | refused | the answer to a write has the content |
 */
export function admit(
  { method = '', url = '', headers, rawHeaders }: Admissible,
  options: AdmissionOptions,
): Admission {
  const { site } = options;
  const refusal = refusalOfSender({ headers, rawHeaders }, site);
  if (refusal !== undefined) return refusal;
  const isRead = method === 'GET' || method === 'HEAD';
  if (site !== undefined && !isRead && headers.origin === undefined) {
    return refused(403, `${method} is refused: the request has no Origin`);
  }
  if (headers.upgrade !== undefined) return refused(403, 'this path does not support upgraded connections');
  const { path: whole, query } = splitTarget(url);
  const { context, path } = splitContext(whole, options.contexts);
  const segments = pathSegments(path);
  if (segments === undefined) return refused(400, 'the path of the request is malformed');
  if (site !== undefined && !isRead && path !== '/login' && headers[writeHeader] === undefined) {
    return refused(403, `${method} is refused: the request has no header ${writeHeader}`);
  }
  const isInfo = segments.join('/') === 'dashboard/info';
  if (!isApiPath(segments) && !isInfo) {
    return isForeign(headers) && !(isRead && isNavigation(headers))
      ? refused(403, 'other pages have no access to this server')
      : { type: 'page', path: pathOf(segments), query };
  }
  if (isForeign(headers)) return refused(403, 'other pages have no access to this server');
  if (!wellFormedQuery.test(query)) return refused(400, 'the query of the request is malformed');
  if (isInfo)
    return isRead ? { type: 'info', context } : refused(405, `${method} is refused: this path supports GET only`);
  const target = parseApiPath(segments);
  if (target.isTunnel) return refused(403, 'exec, attach, portforward and proxy are not available here');
  const isSecret = target.resource === 'secrets' && options.secrets !== true;
  if (!isRead) {
    const refusal = refusalOf(method, target, {
      allowWrites: options.allowWrites,
      isSecret,
      contentType: headers['content-type'],
    });
    if (refusal !== undefined) return refusal;
  }
  return { type: 'api', context, path: pathOf(segments), query, isSecret, target };
}

/**
 * Returns whether a request is the upgrade for the hub at `/hub`, from a page of this server. Reads
 * only the head of the request. Pure.
 *
 * Requires what `admit` requires of any request, and also `Origin`: every browser sends it with a
 * WebSocket, and the same-origin rule does not apply to WebSockets.
 */
export function isHubUpgrade(
  { method, url = '', headers, rawHeaders }: Admissible,
  { site }: Pick<AdmissionOptions, 'site'>,
): boolean {
  return (
    method === 'GET' &&
    splitTarget(url).path === '/hub' &&
    headers.upgrade?.toLowerCase() === 'websocket' &&
    headers.origin !== undefined &&
    !isForeign(headers) &&
    refusalOfSender({ headers, rawHeaders }, site) === undefined
  );
}

/** Refuses a request that is not for this server, or is from a page of another one. */
function refusalOfSender(
  { headers, rawHeaders = [] }: Pick<Admissible, 'headers' | 'rawHeaders'>,
  site: Site | undefined,
): Admission | undefined {
  const host = headers.host ?? '';
  if (rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length > 1) {
    return refused(400, 'the request has two Host headers');
  }
  if (!isHostOf(site, host)) {
    const name = site?.host ?? 'localhost';
    return refused(403, `this server accepts requests for ${name} only, not for the host ${JSON.stringify(host)}`);
  }
  const origin = site?.origin ?? `http://${host.toLowerCase()}`;
  if (headers.origin !== undefined && headers.origin.toLowerCase() !== origin) {
    return refused(403, `pages of ${headers.origin} have no access to this server`);
  }
  return undefined;
}

function isHostOf(site: Site | undefined, host: string): boolean {
  if (site === undefined) return loopback.test(host);
  const name = host.toLowerCase();
  // A load balancer may add the default port.
  return name === site.host || (!/:\d+$/.test(site.host) && name === `${site.host}:443`);
}

function refusalOf(
  method: string,
  target: ApiPath,
  {
    allowWrites,
    isSecret,
    contentType,
  }: { readonly allowWrites: boolean; readonly isSecret: boolean; readonly contentType: string | undefined },
): Admission | undefined {
  if (!writes.has(method)) return refused(405, `${method} is not a method of the Kubernetes API`);
  if (isReview(method, target)) return undefined;
  if (!allowWrites) return refused(403, `${method} is refused: the dashboard was started without --allow-writes`);
  if (!isPermittedWrite(method, target, contentType)) {
    return refused(403, `${method} is refused: the dashboard only edits, scales, deletes and evicts existing objects`);
  }
  if (isSecret) return refused(403, 'writing Secrets is refused: the dashboard was started without --secrets');
  return undefined;
}

function refused(code: Failure['code'], message: string): Admission {
  return { type: 'refused', failure: { code, message } };
}

/**
 * Returns true if the browser itself reports that another page sent the request. A client without
 * this report is not a browser, so it does not run other pages.
 */
export function isForeign(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

/**
 * Returns true for a request that opens a page in a tab. A link on another site may send such a
 * request.
 */
export function isNavigation(headers: IncomingHttpHeaders): boolean {
  return headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
}

function splitTarget(url: string): { readonly path: string; readonly query: string } {
  const at = url.indexOf('?');
  return at === -1 ? { path: url, query: '' } : { path: url.slice(0, at), query: url.slice(at) };
}

/**
 * Splits the prefix of a context from a path. The name may contain any character, including a
 * slash, because it is only looked up. If the name is unknown, the path has no prefix.
 */
function splitContext(
  path: string,
  contexts: ReadonlySet<string> = new Set(),
): { readonly context: string | undefined; readonly path: string } {
  const [, encoded = '', rest = ''] = /^\/contexts\/([^/]+)(\/.*)$/.exec(path) ?? [];
  let context: string | undefined;
  try {
    context = decodeURIComponent(encoded);
  } catch {
    // A name that cannot be decoded is not the name of a context.
  }
  return context !== undefined && contexts.has(context) ? { context, path: rest } : { context: undefined, path };
}
