import { messageOf, RxInformersError } from '../../kubernetes/errors.js';
import type { KubernetesStatus } from '../../kubernetes/object.js';

/** Names a request. Every error message contains it, so a log line is enough to find the cause. */
export interface RequestLine {
  readonly method: string;
  /** The path and the query, for example `/api/v1/pods?limit=500`. */
  readonly url: string;
}

/**
 * All errors that a source can emit. A source emits them as `ERROR` events and continues.
 *
 * `expected` is true for an error that the protocol handles by design, and false for an error that
 * a person should look at. This depends on the state of the source, so the source sets `expected`
 * before it emits the error:
 *
 * | error | `expected` is true |
 * | --- | --- |
 * | `StatusError` 400, 405, 422 | if it refuses a streaming list; the source lists in pages |
 * | `StatusError` 410 | if a list follows at once, or after a wait that is the first in a row |
 * | `StatusError` for a version that the server does not have yet | if a list of the most recent version follows at once |
 * | `EarlyCloseError` | for a streaming list, and for the first such watch in a row |
 * | `ConnectionError`, `DecodeError` | if a watch broke off and is opened again at once |
 * | `BookmarkDeadlineError` | always; the source lists in pages |
 * | `ServerRestoredError` | always; the source lists the most recent state |
 * | `SharedWorkerError` | if there are no shared workers, or the worker is of another version |
 * | every other error | never |
 */
export type SourceError =
  | StatusError
  | ConnectionError
  | CredentialsError
  | SilentConnectionError
  | EarlyCloseError
  | ResponseError
  | DecodeError
  | TransformError
  | BookmarkDeadlineError
  | ServerRestoredError
  | InvalidEventError
  | SharedWorkerError
  | UnexpectedSourceError;

/**
 * What each error of a source is about: the connection, after whose failure the source waits and
 * tries again, or the content of what was received. The compiler requires a row for each error.
 */
const topics: Readonly<Record<SourceError['name'], 'connection' | 'content'>> = {
  StatusError: 'connection',
  ConnectionError: 'connection',
  CredentialsError: 'connection',
  SilentConnectionError: 'connection',
  EarlyCloseError: 'connection',
  ResponseError: 'connection',
  DecodeError: 'content',
  TransformError: 'content',
  BookmarkDeadlineError: 'content',
  ServerRestoredError: 'content',
  InvalidEventError: 'content',
  SharedWorkerError: 'content',
  UnexpectedSourceError: 'content',
};

/** Returns true for an instance of the errors in {@link SourceError}. */
export function isSourceError(error: unknown): error is SourceError {
  return error instanceof RxInformersError && Object.hasOwn(topics, error.name);
}

/** Returns true for an error after which the source waits, and which its status contains. */
export function isOfConnection(error: RxInformersError): boolean {
  return isSourceError(error) && topics[error.name] === 'connection';
}

/**
 * The API server answered with an HTTP status of 400 or more, or with a `Status` object in the
 * middle of a watch.
 *
 * `retryAfter` is in milliseconds: the `Retry-After` header, or `details.retryAfterSeconds` of the
 * status. It is `undefined` if the server did not send a number of at least 0. Apply an upper limit
 * of your own before you wait that long.
 *
 * **What to do**: A source tries again by itself. For 401 check the credentials, for 403 the RBAC
 * rules of the account, for 404 whether the kind is installed. For a write, use `reason` and
 * `statusCode` to decide; `isConflict` and `isNotFound` name the usual cases.
 *
 * **Expected**: if a server refuses a streaming list (400, 405, 422), forgets a version (410), or
 * does not know a version yet. The source then sends another request, and `error.expected` is true.
 * `SourceError` lists the exact conditions.
 */
export class StatusError extends RxInformersError {
  static override readonly code = 'RXI_STATUS';
  override readonly name = 'StatusError';
  /** True if the protocol handles this error by design; see `SourceError`. */
  readonly expected: boolean = false;
  readonly statusCode: number;
  /**
   * The machine-readable reason, for example `Expired` or `Forbidden`; `''` if the server sent
   * none.
   */
  readonly reason: string;
  readonly retryAfter: number | undefined;

  constructor(
    readonly request: RequestLine,
    /**
     * The `Status` object. If the response is something else, such as a proxy's HTML page, this
     * object is made from the HTTP status and the body.
     */
    readonly status: KubernetesStatus,
    options: { readonly code?: number | undefined; readonly retryAfter?: number | undefined } = {},
  ) {
    const code = options.code ?? status.code ?? 0;
    const reason = status.reason ?? '';
    super(`${request.method} ${request.url}: ${code}${reason ? ` ${reason}` : ''}: ${status.message ?? 'no message'}`);
    this.statusCode = code;
    this.reason = reason;
    const seconds = status.details?.retryAfterSeconds;
    const retryAfter = options.retryAfter ?? (typeof seconds === 'number' ? seconds * 1000 : NaN);
    this.retryAfter = retryAfter >= 0 ? retryAfter : undefined;
  }
}

/**
 * The API server could not be reached, or the connection broke: refused, reset, DNS, TLS
 * (`causeCode` is the error code of Node, for example `ECONNREFUSED`).
 *
 * **What to do**: A source tries again by itself. If the error lasts, check address, network,
 * certificates and proxy; `causeCode` names the cause.
 *
 * **Expected**: if a watch broke off and is opened again at once, because load balancers and server
 * restarts close connections. `error.expected` is then true.
 */
export class ConnectionError extends RxInformersError {
  static override readonly code = 'RXI_CONNECTION';
  override readonly name = 'ConnectionError';
  /** True if the protocol handles this error by design; see `SourceError`. */
  readonly expected: boolean = false;
  constructor(
    readonly request: RequestLine,
    override readonly cause: unknown,
    readonly causeCode: string = errorCode(cause),
  ) {
    super(`${request.method} ${request.url}: ${causeCode ? `${causeCode}: ` : ''}${messageOf(cause)}`, { cause });
  }
}

/**
 * The credentials could not be read: token file, exec plugin, OIDC refresh, malformed kubeconfig.
 * Nothing was sent.
 *
 * **What to do**: A source tries again by itself. Check the kubeconfig and the plugin that the
 * cause names.
 */
export class CredentialsError extends RxInformersError {
  static override readonly code = 'RXI_CREDENTIALS';
  override readonly name = 'CredentialsError';
  /** Always false: a person should look at this error. */
  readonly expected = false;
  constructor(
    readonly request: RequestLine,
    override readonly cause: unknown,
  ) {
    super(`${request.method} ${request.url}: cannot read the credentials: ${messageOf(cause)}`, { cause });
  }
}

/**
 * The server sent nothing for longer than the timeout, and the source closed the connection (G6).
 *
 * **What to do**: The source reconnects by itself. If the error happens often, look for a proxy
 * that drops idle connections, or raise `openTimeout`, `listSilence`, `watchSilence` or `grace` for
 * a slow server.
 */
export class SilentConnectionError extends RxInformersError {
  static override readonly code = 'RXI_SILENT_CONNECTION';
  override readonly name = 'SilentConnectionError';
  /** Always false: a person should look at this error. */
  readonly expected = false;
  constructor(
    readonly request: RequestLine,
    readonly waitedFor: 'headers' | 'data',
    /** The number of milliseconds without a byte. */
    readonly silence: number,
  ) {
    super(`${request.method} ${request.url}: no ${waitedFor} for ${silence} ms; the connection was closed`);
  }
}

/**
 * The server closed a watch within a second of opening, without an event (R14), or closed several
 * watches in a row without progress.
 *
 * **What to do**: The source tries again with backoff, and lists again after five such watches. If
 * the error lasts, look for a proxy that does not support streaming.
 *
 * **Expected**: for a streaming list, and for the first such watch in a row. `error.expected` is
 * then true.
 */
export class EarlyCloseError extends RxInformersError {
  static override readonly code = 'RXI_EARLY_CLOSE';
  override readonly name = 'EarlyCloseError';
  /** True if the protocol handles this error by design; see `SourceError`. */
  readonly expected: boolean = false;
  constructor(
    readonly request: RequestLine,
    readonly times = 1,
  ) {
    super(
      `${request.method} ${request.url}: the API server closed the watch early and without new events, ${times} time(s) in a row`,
    );
  }
}

/**
 * A response with a successful status has the wrong content: HTML, a Table, not a list, or a list
 * without a resourceVersion.
 *
 * **What to do**: Check that the address is that of an API server; login pages and proxies answer
 * with HTML. `body` holds the beginning of the answer.
 */
export class ResponseError extends RxInformersError {
  static override readonly code = 'RXI_RESPONSE';
  override readonly name = 'ResponseError';
  /** Always false: a person should look at this error. */
  readonly expected = false;
  constructor(
    readonly request: RequestLine,
    readonly problem: string,
    /** The beginning of the received body. */
    readonly body: string = '',
  ) {
    super(`${request.method} ${request.url}: ${problem}${body ? `: ${JSON.stringify(body.slice(0, 200))}` : ''}`);
  }
}

/**
 * A line of the watch, or an item of the list, is not JSON, not UTF-8, or cut off.
 *
 * A relist follows. If only the last line of a watch is cut off, the watch resumes from the
 * version before that line.
 *
 * **What to do**: Nothing, if the error happens once. If it happens again and again, look for a
 * proxy that changes or truncates bodies; `line` holds the beginning of the text.
 *
 * **Expected**: if a watch broke off in the middle of a line and is opened again at once.
 * `error.expected` is then true.
 */
export class DecodeError extends RxInformersError {
  static override readonly code = 'RXI_DECODE';
  override readonly name = 'DecodeError';
  /** True if the protocol handles this error by design; see `SourceError`. */
  readonly expected: boolean = false;
  constructor(
    readonly request: RequestLine,
    readonly problem: string,
    /** The beginning of the line, and the length of the whole line in bytes. */
    readonly line: string,
    readonly byteLength: number,
    options?: ErrorOptions,
  ) {
    super(
      `${request.method} ${request.url}: ${problem} (${byteLength} bytes): ${JSON.stringify(line.slice(0, 200))}`,
      options,
    );
  }
}

/**
 * `transform` threw, or changed the name, namespace or uid of an object. A relist follows.
 *
 * **What to do**: Correct the function; `key` names the object. Until then, the store keeps the
 * result of the last call that succeeded.
 */
export class TransformError extends RxInformersError {
  static override readonly code = 'RXI_TRANSFORM';
  override readonly name = 'TransformError';
  /** Always false: a person should look at this error. */
  readonly expected = false;
  constructor(
    readonly key: string,
    readonly problem: string,
    options?: ErrorOptions,
  ) {
    super(`transform failed for ${key}: ${problem}`, options);
  }
}

/**
 * A streaming list did not end in time (R27), and the source lists in pages instead.
 *
 * **What to do**: Nothing. To skip the attempt, set `initialList: 'pages'`; to wait longer, raise
 * `bookmarkDeadline`.
 *
 * **Expected**: always, because some servers accept streaming lists but never send the bookmark
 * that ends them.
 */
export class BookmarkDeadlineError extends RxInformersError {
  static override readonly code = 'RXI_BOOKMARK_DEADLINE';
  override readonly name = 'BookmarkDeadlineError';
  /** Always true: the protocol handles this error by design. */
  readonly expected = true;
  constructor(
    readonly request: RequestLine,
    /** Milliseconds since the last byte, or since the last object of the initial state. */
    readonly deadline: number,
  ) {
    super(
      `${request.method} ${request.url}: the streaming list sent no end bookmark for ${deadline} ms; listing in pages instead`,
    );
  }
}

/**
 * The server is at an older version than one that it has sent before, because its etcd was restored
 * from a backup. The source lists the most recent state, so the cache is right again.
 *
 * **What to do**: Nothing for the cache. Data that your program has derived from later versions,
 * for example in a database, may be about objects that no longer exist.
 *
 * **Expected**: always, because the source handles it.
 */
export class ServerRestoredError extends RxInformersError {
  static override readonly code = 'RXI_SERVER_RESTORED';
  override readonly name = 'ServerRestoredError';
  /** Always true: the protocol handles this error by design. */
  readonly expected = true;
  constructor(
    readonly request: RequestLine,
    /** The newest version that the source had received. */
    readonly knownVersion: string,
    /** The older version of the server. */
    readonly serverVersion: string,
  ) {
    super(
      `${request.method} ${request.url}: the server went back from version ${knownVersion} to ${serverVersion}; listing again`,
    );
  }
}

/**
 * A source emitted something that is not a watch event, or an event that could not be applied. The
 * other events of its batch are kept, and the informer lists again.
 *
 * **What to do**: Correct the source; `problem` says what is wrong with the event. Events of
 * `listWatch` are always valid.
 */
export class InvalidEventError extends RxInformersError {
  static override readonly code = 'RXI_INVALID_EVENT';
  override readonly name = 'InvalidEventError';
  /** Always false: a person should look at this error. */
  readonly expected = false;
  constructor(
    /** The emitted value, if it is known. */
    readonly event: unknown,
    readonly problem: string,
    options?: ErrorOptions,
  ) {
    super(`an event of the source was ignored: ${problem}`, options);
  }
}

/**
 * A source that is not part of this library failed, or a callback that was passed as an option
 * threw.
 *
 * **What to do**: Look at `cause`, which is the thrown error. If a source failed, the informer
 * subscribes to it again with backoff. If a callback threw, the source continues without the result
 * of the callback.
 */
export class UnexpectedSourceError extends RxInformersError {
  static override readonly code = 'RXI_UNEXPECTED_SOURCE';
  override readonly name = 'UnexpectedSourceError';
  /** Always false: a person should look at this error. */
  readonly expected = false;
  constructor(
    override readonly cause: unknown,
    readonly problem = 'the source failed',
  ) {
    super(`${problem}: ${messageOf(cause)}`, { cause });
  }
}

/** Returns the error about an option that threw, and whose default was used instead. */
export function optionThrew(option: string, cause: unknown): UnexpectedSourceError {
  return new UnexpectedSourceError(cause, `${option} threw; the default was used instead`);
}

/**
 * A page cannot read from the cache that all tabs share. It uses its own connection to the API
 * server instead.
 *
 * | `problem` | what happened |
 * | --- | --- |
 * | `unavailable` | the browser has no `SharedWorker`, for example Chrome for Android |
 * | `failed` | the worker's script could not be loaded, or the worker did not answer |
 * | `other-version` | a tab that was opened before a deployment still runs the worker of an older build |
 * | `other-identity` | another user has signed in, in this tab or in another one |
 * | `lost` | the worker stopped responding; the page starts it once more before it uses its own connection |
 *
 * **What to do**: For `unavailable`, nothing: each tab then opens its own connections. Over
 * HTTP/1.1, six tabs are too many, because a browser opens at most six connections to one host. For
 * `failed`, check the address of the script and `worker-src` of the content security policy. For
 * `other-version`, ask the user to close the older tabs. For `other-identity`, stop the registry of
 * each tab when its user signs out. For `lost`, look for errors of the worker at
 * `chrome://inspect/#workers`.
 *
 * **Expected**: for `unavailable`, `other-version` and `other-identity`. `error.expected` is then
 * true.
 */
export class SharedWorkerError extends RxInformersError {
  static override readonly code = 'RXI_SHARED_WORKER';
  override readonly name = 'SharedWorkerError';
  /** True if the protocol handles this error by design; see `SourceError`. */
  readonly expected: boolean;
  constructor(
    readonly problem: 'unavailable' | 'failed' | 'other-version' | 'other-identity' | 'lost',
    /** A description of what happened. */
    readonly detail: string,
    options?: ErrorOptions,
  ) {
    super(`the cache that all tabs share cannot be used: ${detail}`, options);
    this.expected = problem !== 'failed' && problem !== 'lost';
  }
}

function errorCode(cause: unknown): string {
  const code = (cause as { readonly code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : '';
}

/**
 * A recording is incomplete: its last line is cut off, or the line that ends it is missing.
 *
 * **What to do**: Record again, and complete the recording before the process exits. The events
 * before the error are valid.
 */
export class TruncatedRecordingError extends RxInformersError {
  static override readonly code = 'RXI_TRUNCATED_RECORDING';
  override readonly name = 'TruncatedRecordingError';
  constructor(
    /**
     * The number, from 1, of the line that could not be read, or of the missing line at the end.
     */
    readonly line: number,
    options?: ErrorOptions,
  ) {
    super(`the recording is cut off at line ${line}; the events before it were replayed`, options);
  }
}

/**
 * A text is not a recording, or its format is unknown to this version.
 *
 * **What to do**: Replay the recording with the version of this package that recorded it, or record
 * again.
 */
export class RecordingFormatError extends RxInformersError {
  static override readonly code = 'RXI_RECORDING_FORMAT';
  override readonly name = 'RecordingFormatError';
  constructor(readonly problem: string) {
    super(`cannot replay the recording: ${problem}`);
  }
}

/**
 * Thrown for an option with an invalid value, such as a negative timeout; in development
 * (`NODE_ENV` is not `production`) also for a misspelt name of an option or a callback, such as
 * `labelselector` or `onadd`.
 *
 * **What to do**: Correct the option that the message names.
 */
export class InvalidOptionError extends RxInformersError {
  static override readonly code = 'RXI_INVALID_OPTION';
  override readonly name = 'InvalidOptionError';
  constructor(
    readonly option: string,
    readonly value: unknown,
    readonly expected: string,
  ) {
    super(`${option} must be ${expected}, not ${textOf(value)}`);
  }
}

/** Returns a value as text. JSON has neither `NaN` nor `Infinity`. */
function textOf(value: unknown): string | undefined {
  return typeof value === 'number' ? String(value) : JSON.stringify(value);
}
