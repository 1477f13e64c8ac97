import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { dataHeaders } from './protective-headers.js';

/*
 * These lists name the headers that are forwarded. Every other header is dropped. Dropped on the
 * way to the API server are cookies, Authorization, Impersonate-* and the headers of the
 * connection. Dropped on the way to the browser are cookies, CORS permissions, the headers of the
 * connection, and authentication challenges. A browser would show the user a dialog for a
 * challenge.
 */
const passedToServer = ['accept', 'if-none-match', 'if-modified-since'] as const;
const passedWithBody = ['content-type', 'content-length', 'transfer-encoding'] as const;
const passedToBrowser = [
  'cache-control',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'etag',
  'last-modified',
  'retry-after',
  'vary',
  'warning',
  'audit-id',
  'x-kubernetes-pf-flowschema-uid',
  'x-kubernetes-pf-prioritylevel-uid',
] as const;

/** Returns whether a browser accepts an encoding. */
export function takes(encoding: 'br' | 'gzip', { headers }: IncomingMessage): boolean {
  return accepted[encoding].test(headers['accept-encoding'] ?? '');
}

const accepted = {
  br: /\bbr\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i,
  gzip: /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i,
};

/**
 * Returns the headers of a request for the API server, without credentials.
 *
 * Accepts only gzip, and only if the answer is finite and forwarded unchanged. A compressing proxy
 * on the way might hold back the events of a watch until it has enough of them.
 */
export function headersToServer(request: IncomingMessage, isReadHere: boolean): OutgoingHttpHeaders {
  const { method, headers } = request;
  const hasBody = method !== 'GET' && method !== 'HEAD';
  return {
    ...pick(headers, passedToServer),
    ...(hasBody && pick(headers, passedWithBody)),
    'accept-encoding': takes('gzip', request) && !isReadHere ? 'gzip' : 'identity',
    'user-agent': 'rx-informers-dashboard',
  };
}

/** Returns the headers of an answer for the browser. */
export function headersToBrowser({ headers }: IncomingMessage): OutgoingHttpHeaders {
  return { 'cache-control': 'no-store', ...pick(headers, passedToBrowser), ...dataHeaders };
}

function pick(headers: IncomingHttpHeaders, names: readonly string[]): OutgoingHttpHeaders {
  return Object.fromEntries(names.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])));
}
