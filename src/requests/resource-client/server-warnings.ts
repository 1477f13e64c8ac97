import { map } from 'rxjs';
import { type KubeClient, type KubeRequest, requestLine, wrappedClient } from '../../sources/client/kube-client.js';
import type { Logger } from '../logger.js';

/**
 * Returns a client that uses the same connection and logs the warnings of the API server. The
 * server warns of deprecated versions and of unknown fields that it has dropped; admission policies
 * may warn too.
 *
 * Each text is logged once for each resource. If a response passes through several clients that log
 * warnings, only the innermost client logs them.
 *
 * **Does not guarantee**: that warnings of an error response are logged. The wrapped client
 * consumes error responses.
 *
 * @param once the logger for which logged texts are remembered; a controller has one logger for
 *   each run, and passes its own logger here
 */
export function logWarnings(client: KubeClient, logger: Logger, once: Logger = logger): KubeClient {
  return wrappedClient(client, (request) =>
    client.exchange(request).pipe(
      map((part) => {
        if (part.type !== 'head' || part.headers['warning'] === undefined || part.warningsLogged) return part;
        logNew(parseWarnings(part.headers['warning']), request, { logger, once });
        return { ...part, warningsLogged: true };
      }),
    ),
  );
}

/** For each logger, not each client: a `ResourceClient` is often made for one run. */
const remembered = /*#__PURE__*/ new WeakMap<Logger, Set<string>>();
/** Remembered warnings per logger. Older warnings are forgotten, and may be logged again. */
const maxRemembered = 256;

function logNew(
  warnings: readonly string[],
  request: KubeRequest,
  { logger, once }: { readonly logger: Logger; readonly once: Logger },
): void {
  const known = remembered.get(once) ?? new Set();
  remembered.set(once, known);
  const resource = resourceOf(request.path);
  const { method, url } = requestLine(request);
  for (const warning of warnings) {
    const entry = `${resource} ${warning}`;
    if (known.has(entry)) continue;
    known.add(entry);
    for (const oldest of known) {
      if (known.size <= maxRemembered) break;
      known.delete(oldest);
    }
    const fields = { warning, resource, request: `${method} ${url}` };
    try {
      logger.warn(fields, 'the API server answered with a warning');
    } catch {
      // An error of the logger must not fail the request.
    }
  }
}

/** Returns the resource in a path, for example `deployments.apps`, or else the path. */
function resourceOf(path: string): string {
  const { group, plural } = resourcePattern.exec(path)?.groups ?? {};
  if (plural === undefined) return path;
  return group === undefined ? plural : `${plural}.${group}`;
}

const resourcePattern = /\/(?:api|apis\/(?<group>[^/]+))\/v[^/]+(?:\/namespaces\/[^/]+(?=\/))?\/(?<plural>[^/]+)/;

/**
 * Returns the texts of all values with code 299 in a `Warning` header. Kubernetes uses no other
 * code.
 *
 * | header | texts |
 * | --- | --- |
 * | `299 - "unknown field \"spec.a\""` | `unknown field "spec.a"` |
 * | `299 - "a", 299 - "b"`; several headers are joined in this way, too | `a` and `b` |
 * | `110 - "stale"`, an empty text | none |
 * | a malformed value | none for this value and the values after it, as in client-go |
 *
 * Each character of a header is one byte. The bytes are decoded as UTF-8 if they are valid UTF-8.
 */
export function parseWarnings(header: string): readonly string[] {
  const texts: string[] = [];
  const value = new RegExp(valuePattern);
  for (let match = value.exec(header); match !== null; match = value.exec(header)) {
    const { code, text = '' } = match.groups ?? {};
    if (code === '299' && text !== '') texts.push(decoded(text.replace(/\\(.)/gs, '$1')));
  }
  return texts;
}

/** One value, after a comma: code, agent, quoted text and optional date (RFC 7234, 5.5). */
const valuePattern = /[ \t]*(?<code>\d{3}) [^ "]+ "(?<text>(?:[^"\\]|\\.)*)"(?: "[^"]*")?[ \t]*(?:,|$)/sy;

function decoded(text: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytesOf(text));
  } catch {
    return text;
  }
}

/** Returns the characters as bytes. Throws above 255: then the text was decoded already. */
function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code > 0xff) throw new RangeError('not a byte');
    return code;
  });
}
