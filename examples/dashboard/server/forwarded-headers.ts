import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { dataHeaders } from './protective-headers.js';

/*
 * Lists of what passes, not of what does not: cookies, Authorization, Impersonate-* and the headers of the connection
 * stay behind towards the API server; cookies, authentication challenges (for which a browser asks the user), CORS
 * permissions and the headers of the connection stay behind on the way back.
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

/**
 * The headers of a request as it goes on to the API server, without credentials.
 *
 * Compressed only as gzip and only where the answer has an end: whatever stands between might hold back the events of a
 * watch until there are enough to compress.
 */
export function headersToServer({ method, headers }: IncomingMessage, isStream: boolean): OutgoingHttpHeaders {
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const takesGzip = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(headers['accept-encoding'] ?? '');
  return {
    ...pick(headers, passedToServer),
    ...(hasBody && pick(headers, passedWithBody)),
    'accept-encoding': takesGzip && !isStream ? 'gzip' : 'identity',
    'user-agent': 'rx-informers-dashboard',
  };
}

/** The headers of an answer as it goes on to the browser. */
export function headersToBrowser({ headers }: IncomingMessage): OutgoingHttpHeaders {
  return { 'cache-control': 'no-store', ...pick(headers, passedToBrowser), ...dataHeaders };
}

function pick(headers: IncomingHttpHeaders, names: readonly string[]): OutgoingHttpHeaders {
  return Object.fromEntries(names.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])));
}
