import { tap } from 'rxjs';
import { type KubeClient, type KubeRequest, type ResponsePart, requestLine } from '../../sources/client/kube-client.js';
import { writeLines } from '../contained.js';
import type { Logger } from '../logger.js';

/**
 * Returns a client over the same connection that logs the warnings of the API server: of deprecated versions, of unknown fields
 * that it has dropped, of admission policies.
 *
 * Each text is logged once for each kind of object. An answer that passes several such clients is logged by the innermost one.
 *
 * **Does not guarantee**: warnings of an answer that is an error; the client below reads those.
 *
 * @param once where the texts that were logged are remembered; loggers of single runs share that of their controller
 */
export function logWarnings(client: KubeClient, logger: Logger, once: Logger = logger): KubeClient {
  return {
    scheduler: client.scheduler,
    random: client.random,
    exchange: (request) =>
      client.exchange(request).pipe(
        tap((part) => {
          if (part.type !== 'head' || part.headers['warning'] === undefined || logged.has(part)) return;
          logged.add(part);
          logNew(parseWarnings(part.headers['warning']), request, { logger, once });
        }),
      ),
  };
}

/** Answers whose warnings were logged. */
const logged = /*#__PURE__*/ new WeakSet<ResponsePart>();
/** Warnings that were logged, by logger: a `ResourceClient` is often made for one run. */
const remembered = /*#__PURE__*/ new WeakMap<Logger, Set<string>>();
/** So many warnings are remembered for each logger; the oldest ones are forgotten, and would be logged again. */
const mostRemembered = 256;

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
      if (known.size <= mostRemembered) break;
      known.delete(oldest);
    }
    const fields = { warning, resource, request: `${method} ${url}` };
    writeLines(logger, [{ level: 'warn', fields, message: 'the API server answered with a warning' }]);
  }
}

/** Returns plural and group of what a path addresses (`deployments.apps`), or the path if it is none of a resource. */
function resourceOf(path: string): string {
  const { group, plural } = resourcePattern.exec(path)?.groups ?? {};
  if (plural === undefined) return path;
  return group === undefined ? plural : `${plural}.${group}`;
}

const resourcePattern = /\/(?:api|apis\/(?<group>[^/]+))\/v[^/]+(?:\/namespaces\/[^/]+(?=\/))?\/(?<plural>[^/]+)/;

/**
 * Returns the texts of a `Warning` header: of all its values of code 299, the only one that Kubernetes uses.
 *
 * | header | texts |
 * | --- | --- |
 * | `299 - "unknown field \"spec.a\""` | `unknown field "spec.a"` |
 * | `299 - "a", 299 - "b"`, also several headers in one | `a` and `b` |
 * | `110 - "stale"`, an empty text | none |
 * | a value that is malformed | none of it, nor of what follows it, as in client-go |
 *
 * A header holds bytes. They are decoded as UTF-8 if that is what they are.
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

/** Code, agent, quoted text and optional date (RFC 7234, section 5.5), and what separates it from the next value. */
const valuePattern = /[ \t]*(?<code>\d{3}) [^ "]+ "(?<text>(?:[^"\\]|\\.)*)"(?: "[^"]*")?[ \t]*(?:,|$)/sy;

function decoded(text: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytesOf(text));
  } catch {
    return text;
  }
}

/** Throws for a character that is not one byte: something has decoded the text already. */
function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code > 0xff) throw new RangeError('not a byte');
    return code;
  });
}
