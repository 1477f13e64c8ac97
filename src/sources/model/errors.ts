import { isRxInformersError, messageOf, RxInformersError } from '../../kubernetes/errors.js';
import type { KubernetesStatus } from '../../kubernetes/object.js';
import type { RequestLine } from '../../kubernetes/source-error-codes.js';

export type { RequestLine };

/**
 * All errors that a source can emit. A source emits them as `ERROR` events and continues.
 *
 * `expected` is true for an error that the protocol handles by design, and false for an error that
 * a person should look at. This depends on the state of the source, so the source sets `expected`
 * before it emits the error:
 *
 * | error | `expected` is true |
 * | --- | --- |
 * | `RXI_STATUS` 400, 405, 422 | if it refuses a streaming list; the source lists in pages |
 * | `RXI_STATUS` 410 | if a list follows at once, or after a wait that is the first in a row |
 * | `RXI_STATUS` for a version that the server does not have yet | if a list of the most recent version follows at once |
 * | `RXI_EARLY_CLOSE` | for a streaming list, and for the first such watch in a row |
 * | `RXI_CONNECTION`, `RXI_DECODE` | if a watch broke off and is opened again at once |
 * | `RXI_BOOKMARK_DEADLINE` | always; the source lists in pages |
 * | `RXI_SERVER_RESTORED` | always; the source lists the most recent state |
 * | `RXI_SHARED_WORKER` | if there are no shared workers, or the worker is of another version |
 * | every other error | never |
 */
export type SourceError = RxInformersError<keyof typeof topics>;

/**
 * What each error of a source is about: the connection, after whose failure the source waits and
 * tries again, or the content of what was received. `SourceError` lists these codes.
 */
const topics = {
  RXI_STATUS: 'connection',
  RXI_CONNECTION: 'connection',
  RXI_CREDENTIALS: 'connection',
  RXI_SILENT_CONNECTION: 'connection',
  RXI_EARLY_CLOSE: 'connection',
  RXI_RESPONSE: 'connection',
  RXI_DECODE: 'content',
  RXI_TRANSFORM: 'content',
  RXI_BOOKMARK_DEADLINE: 'content',
  RXI_SERVER_RESTORED: 'content',
  RXI_INVALID_EVENT: 'content',
  RXI_SHARED_WORKER: 'content',
  RXI_HUB: 'connection',
  RXI_UNEXPECTED_SOURCE: 'content',
} as const;

/** Returns true for an error of the codes in {@link SourceError}. */
export function isSourceError(error: unknown): error is SourceError {
  return isRxInformersError(error) && Object.hasOwn(topics, error.code);
}

/** Returns true for an error after which the source waits, and which its status contains. */
export function isOfConnection(error: RxInformersError): boolean {
  return isSourceError(error) && topics[error.code] === 'connection';
}

/** An error of `RXI_STATUS`: a response with a status of 400 or more. */
export class StatusError extends RxInformersError<'RXI_STATUS'> {
  static readonly code = 'RXI_STATUS';
  override readonly name = 'StatusError';

  constructor(
    request: RequestLine,
    status: KubernetesStatus,
    options: { readonly code?: number | undefined; readonly retryAfter?: number | undefined } = {},
  ) {
    const statusCode = options.code ?? status.code ?? 0;
    const reason = status.reason ?? '';
    const seconds = status.details?.retryAfterSeconds;
    const retryAfter = options.retryAfter ?? (typeof seconds === 'number' ? seconds * 1000 : NaN);
    super(
      'RXI_STATUS',
      `${at(request)}: ${statusCode}${reason ? ` ${reason}` : ''}: ${status.message ?? 'no message'}`,
      {
        request,
        status,
        statusCode,
        reason,
        retryAfter: retryAfter >= 0 ? retryAfter : undefined,
        advice: statusAdvice(request, statusCode, status),
        expected: false,
      },
    );
  }
}

/** Returns the request for messages: without the query, which is long and rarely the cause. */
function at({ method, url }: RequestLine): string {
  return `${method} ${url.replace(/\?.*/, '')}`;
}

/** Matches the path of a list: all objects of a kind, or those of one namespace. */
const listPath = /^\/(?:api|apis\/(?<group>[^/]+))\/[^/]+\/(?<namespace>namespaces\/[^/]+\/)?(?<plural>[^/?]+)(?:\?|$)/;

function statusAdvice(
  { method, url }: RequestLine,
  statusCode: number,
  { details, message = '' }: KubernetesStatus,
): string | undefined {
  const { group, namespace, plural } = listPath.exec(url)?.groups ?? {};
  const kind = `${plural ?? 'the kind'}${group ? `.${group}` : ''}`;
  switch (statusCode) {
    case 400:
      return message.startsWith('field label not supported')
        ? `select by a field that the server supports for ${kind}, or filter the objects in this program`
        : undefined;
    case 401:
      return 'check the credentials: they may have expired, or belong to another cluster';
    case 403: {
      if (method !== 'GET' || plural === undefined) return 'grant the account this right';
      const right = `grant list and watch of ${kind}`;
      return namespace
        ? right
        : `${right}, or read only some namespaces, if it has them: options namespace, inNamespaces`;
    }
    case 404:
      // An object that does not exist is named.
      return details?.name
        ? 'check its name and namespace'
        : `install ${kind}, or correct the group, version and plural`;
    default:
      return statusCode === 500 ? 'the log of the API server may have the reason' : undefined;
  }
}

export function connectionError(
  request: RequestLine,
  cause: unknown,
  causeCode: string = errorCode(cause),
  advice = 'check the address of the API server and the network',
): RxInformersError<'RXI_CONNECTION'> {
  const text = messageOf(cause);
  const message = `${at(request)}: ${text.includes(causeCode) ? '' : `${causeCode}: `}${text}`;
  return new RxInformersError('RXI_CONNECTION', message, { request, cause, causeCode, advice, expected: false });
}

export function credentialsError(
  request: RequestLine,
  cause: unknown,
  advice?: string,
): RxInformersError<'RXI_CREDENTIALS'> {
  const message = `${at(request)}: cannot read the credentials: ${messageOf(cause)}`;
  return new RxInformersError('RXI_CREDENTIALS', message, { request, cause, advice, expected: false });
}

export function silentConnectionError(
  request: RequestLine,
  waitedFor: 'headers' | 'data',
  silence: number,
): RxInformersError<'RXI_SILENT_CONNECTION'> {
  const message = `${at(request)}: no ${waitedFor} for ${silence} ms; the connection was closed`;
  return new RxInformersError('RXI_SILENT_CONNECTION', message, { request, waitedFor, silence, expected: false });
}

export function earlyCloseError(request: RequestLine, times = 1): RxInformersError<'RXI_EARLY_CLOSE'> {
  const message = `${at(request)}: the API server closed the watch early and without new events, ${times} time(s) in a row`;
  return new RxInformersError('RXI_EARLY_CLOSE', message, { request, times, expected: false });
}

export function responseError(
  request: RequestLine,
  problem: string,
  body: string = '',
): RxInformersError<'RXI_RESPONSE'> {
  const message = `${at(request)}: ${problem}${body ? `: ${JSON.stringify(body.slice(0, 200))}` : ''}`;
  return new RxInformersError('RXI_RESPONSE', message, { request, problem, body, expected: false });
}

export function decodingError(
  request: RequestLine,
  problem: string,
  line: string,
  byteLength: number,
  options?: ErrorOptions,
): RxInformersError<'RXI_DECODE'> {
  const message = `${at(request)}: ${problem} (${byteLength} bytes): ${JSON.stringify(line.slice(0, 200))}`;
  return new RxInformersError('RXI_DECODE', message, {
    request,
    problem,
    line,
    byteLength,
    ...options,
    expected: false,
  });
}

export function transformError(
  key: string,
  problem: string,
  options?: ErrorOptions,
): RxInformersError<'RXI_TRANSFORM'> {
  const message = `transform failed for ${key}: ${problem}`;
  return new RxInformersError('RXI_TRANSFORM', message, { key, problem, ...options, expected: false });
}

export function bookmarkDeadlineError(
  request: RequestLine,
  deadline: number,
): RxInformersError<'RXI_BOOKMARK_DEADLINE'> {
  const message = `${at(request)}: the streaming list sent no end bookmark for ${deadline} ms; listing in pages instead`;
  return new RxInformersError('RXI_BOOKMARK_DEADLINE', message, { request, deadline, expected: true });
}

export function serverRestoredError(
  request: RequestLine,
  knownVersion: string,
  serverVersion: string,
): RxInformersError<'RXI_SERVER_RESTORED'> {
  const message = `${at(request)}: the server went back from version ${knownVersion} to ${serverVersion}; listing again`;
  return new RxInformersError('RXI_SERVER_RESTORED', message, { request, knownVersion, serverVersion, expected: true });
}

export function invalidEventError(
  event: unknown,
  problem: string,
  options?: ErrorOptions,
): RxInformersError<'RXI_INVALID_EVENT'> {
  const message = `an event of the source was ignored: ${problem}`;
  return new RxInformersError('RXI_INVALID_EVENT', message, { event, problem, ...options, expected: false });
}

export function unexpectedSourceError(
  cause: unknown,
  problem = 'the source failed',
): RxInformersError<'RXI_UNEXPECTED_SOURCE'> {
  const message = `${problem}: ${messageOf(cause)}`;
  return new RxInformersError('RXI_UNEXPECTED_SOURCE', message, { cause, problem, expected: false });
}

/** Returns the error about an option that threw, and whose default was used instead. */
export function optionThrew(option: string, cause: unknown): RxInformersError<'RXI_UNEXPECTED_SOURCE'> {
  return unexpectedSourceError(cause, `${option} threw; the default was used instead`);
}

export function sharedWorkerError(
  problem: 'unavailable' | 'failed' | 'other-version' | 'other-identity' | 'lost',
  detail: string,
  options?: ErrorOptions,
): RxInformersError<'RXI_SHARED_WORKER'> {
  const message = `the cache that all tabs share cannot be used: ${detail}`;
  return new RxInformersError('RXI_SHARED_WORKER', message, {
    problem,
    detail,
    expected: problem !== 'failed' && problem !== 'lost',
    ...options,
  });
}

export function hubError(
  problem: RxInformersError<'RXI_HUB'>['problem'],
  detail: string,
  upstreamCode?: string,
): RxInformersError<'RXI_HUB'> {
  return new RxInformersError('RXI_HUB', `the hub sends no objects: ${detail}`, {
    problem,
    detail,
    expected: false,
    ...(upstreamCode !== undefined && { upstreamCode }),
  });
}

function errorCode(cause: unknown): string {
  const code = (cause as { readonly code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : '';
}

export function truncatedRecordingError(
  line: number,
  options?: ErrorOptions,
): RxInformersError<'RXI_TRUNCATED_RECORDING'> {
  const message = `the recording is cut off at line ${line}; the events before it were replayed`;
  return new RxInformersError('RXI_TRUNCATED_RECORDING', message, { line, ...options });
}

export function recordingFormatError(problem: string): RxInformersError<'RXI_RECORDING_FORMAT'> {
  return new RxInformersError('RXI_RECORDING_FORMAT', `cannot replay the recording: ${problem}`, { problem });
}
