import { messageOf, RxInformersError } from '../../kubernetes/errors.js';
import type { KubernetesStatus } from '../../kubernetes/object.js';

/** Where a request went; part of every error's message, so that a log line is enough to find the cause. */
export interface RequestLine {
  readonly method: string;
  /** Path and query, for example `/api/v1/pods?limit=500`. */
  readonly url: string;
}

/**
 * Everything that can go wrong between the API server and the deltas. Sources emit it in-band and
 * go on.
 *
 * `expected` tells what the protocol handles by design (true) from what a person should look at
 * (false). It depends on what the source was doing, so the source sets it before it emits the
 * error:
 *
 * | error | `expected` is true |
 * | --- | --- |
 * | `StatusError` 400, 405, 422 | if it refuses a streaming list; the source lists in pages |
 * | `StatusError` 410 | if a list follows, at once or after the first wait in a row |
 * | `StatusError`, version too large | if a list of the most recent version follows at once |
 * | `EarlyCloseError` | for a streaming list; for a watch, the first time in a row |
 * | `ConnectionError`, `DecodeError` | if a watch broke off and is opened again at once |
 * | `BookmarkDeadlineError` | always; the source lists in pages |
 * | all others | never |
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
  | InvalidEventError
  | UnexpectedSourceError;

/**
 * The API server answered with an HTTP status of 400 or more, or with a `Status` object in the
 * middle of a watch.
 *
 * `retryAfter` is in milliseconds: the `Retry-After` header, or `details.retryAfterSeconds` of the
 * status. It is `undefined` if the server asked for nothing, or for something that is not a number
 * of at least 0. Cap it before you wait that long.
 *
 * **What to do**: A source tries again by itself. For 401 check the credentials, for 403 the RBAC
 * rules of the account, for 404 whether the kind is installed. For a write, use `reason` and
 * `statusCode` to decide; `isConflict` and `isNotFound` name the usual cases.
 *
 * **Expected**: if a server refuses a streaming list (400, 405, 422), forgets a version (410), or
 * does not know a version yet, and the source handles it by another request. `error.expected` says
 * so for each error of a source.
 */
export class StatusError extends RxInformersError {
  static override readonly code = 'RXI_STATUS';
  override readonly name = 'StatusError';
  /** See `SourceError`. */
  readonly expected: boolean = false;
  readonly statusCode: number;
  /** The machine-readable reason, for example `Expired`, `Forbidden`; `''` where the server gave none. */
  readonly reason: string;
  readonly retryAfter: number | undefined;

  constructor(
    readonly request: RequestLine,
    /** The `Status` object; made up from code and body where the server sent something else (a proxy's HTML page). */
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
 * (`causeCode` is Node's, for example `ECONNREFUSED`).
 *
 * **What to do**: A source tries again by itself. If it lasts, check address, network,
 * certificates and proxy; `causeCode` says which.
 *
 * **Expected**: if a watch broke off and is opened again at once: load balancers and server
 * restarts close connections. `error.expected` says so.
 */
export class ConnectionError extends RxInformersError {
  static override readonly code = 'RXI_CONNECTION';
  override readonly name = 'ConnectionError';
  /** See `SourceError`. */
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
  /** See `SourceError`. */
  readonly expected = false;
  constructor(
    readonly request: RequestLine,
    override readonly cause: unknown,
  ) {
    super(`${request.method} ${request.url}: cannot read the credentials: ${messageOf(cause)}`, { cause });
  }
}

/**
 * The server sent nothing for longer than it promised, and the connection was given up (G6).
 *
 * **What to do**: The source reconnects by itself. If it happens often, look for a proxy that
 * drops idle connections, or raise `openTimeout`, `listSilence` or `grace` for a slow server.
 */
export class SilentConnectionError extends RxInformersError {
  static override readonly code = 'RXI_SILENT_CONNECTION';
  override readonly name = 'SilentConnectionError';
  /** See `SourceError`. */
  readonly expected = false;
  constructor(
    readonly request: RequestLine,
    readonly waitedFor: 'headers' | 'data',
    /** Milliseconds without a byte. */
    readonly silence: number,
  ) {
    super(`${request.method} ${request.url}: no ${waitedFor} for ${silence} ms; the connection was given up`);
  }
}

/**
 * A watch closed within a second of being opened, without an event (R14), or too often without
 * progress.
 *
 * **What to do**: The source tries again with backoff, and lists again after five times. If it
 * lasts, look for a proxy that does not support streaming.
 *
 * **Expected**: for a streaming list, and for the first watch in a row. `error.expected` says so.
 */
export class EarlyCloseError extends RxInformersError {
  static override readonly code = 'RXI_EARLY_CLOSE';
  override readonly name = 'EarlyCloseError';
  /** See `SourceError`. */
  readonly expected: boolean = false;
  constructor(
    readonly request: RequestLine,
    readonly times = 1,
  ) {
    super(
      `${request.method} ${request.url}: the server closed the watch early, ${times} time(s) in a row without anything new`,
    );
  }
}

/**
 * A successful answer is not what was asked for: HTML, no list, no resourceVersion, a Table.
 *
 * **What to do**: Check that the address is that of an API server; login pages and proxies answer
 * with HTML. `body` holds the beginning of the answer.
 */
export class ResponseError extends RxInformersError {
  static override readonly code = 'RXI_RESPONSE';
  override readonly name = 'ResponseError';
  /** See `SourceError`. */
  readonly expected = false;
  constructor(
    readonly request: RequestLine,
    readonly problem: string,
    /** The beginning of what came instead. */
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
 * **What to do**: Nothing for a single one. If it lasts, look for a proxy that changes or
 * truncates bodies; `line` holds the beginning of the text.
 *
 * **Expected**: if a watch broke off in the middle of a line and is opened again at once.
 * `error.expected` says so.
 */
export class DecodeError extends RxInformersError {
  static override readonly code = 'RXI_DECODE';
  override readonly name = 'DecodeError';
  /** See `SourceError`. */
  readonly expected: boolean = false;
  constructor(
    readonly request: RequestLine,
    readonly problem: string,
    /** The beginning of the line, and how long it was in bytes. */
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
 * **What to do**: Correct the function; `key` names the object. Until then the object stays in the
 * state of the last success.
 */
export class TransformError extends RxInformersError {
  static override readonly code = 'RXI_TRANSFORM';
  override readonly name = 'TransformError';
  /** See `SourceError`. */
  readonly expected = false;
  constructor(
    readonly key: string,
    readonly problem: string,
    options?: ErrorOptions,
  ) {
    super(`transform of ${key}: ${problem}`, options);
  }
}

/**
 * A streaming list did not end in time (R27), and the source lists in pages instead.
 *
 * **What to do**: Nothing. To skip the attempt, set `initialList: 'pages'`; to wait longer, raise
 * `bookmarkDeadline`.
 *
 * **Expected**: always: some servers accept streaming lists and never send the bookmark that ends
 * them.
 */
export class BookmarkDeadlineError extends RxInformersError {
  static override readonly code = 'RXI_BOOKMARK_DEADLINE';
  override readonly name = 'BookmarkDeadlineError';
  /** See `SourceError`. */
  readonly expected = true;
  constructor(
    readonly request: RequestLine,
    /** Milliseconds since the last byte, or since the last object that existed at the beginning. */
    readonly deadline: number,
  ) {
    super(`${request.method} ${request.url}: the streaming list sent no end bookmark for ${deadline} ms`);
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
  readonly expected = false;
  constructor(
    /** What the source emitted, if it is known. */
    readonly event: unknown,
    readonly problem: string,
    options?: ErrorOptions,
  ) {
    super(`an event of the source was left out: ${problem}`, options);
  }
}

/**
 * A source that is not part of this library failed, or a callback that was passed as an option
 * threw.
 *
 * **What to do**: Look at `cause`: it is the error as it was thrown. The informer subscribes to
 * the source again with backoff.
 */
export class UnexpectedSourceError extends RxInformersError {
  static override readonly code = 'RXI_UNEXPECTED_SOURCE';
  override readonly name = 'UnexpectedSourceError';
  /** See `SourceError`. */
  readonly expected = false;
  constructor(
    override readonly cause: unknown,
    readonly problem = 'the source failed',
  ) {
    super(`${problem}: ${messageOf(cause)}`, { cause });
  }
}

function errorCode(cause: unknown): string {
  const code = (cause as { readonly code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : '';
}

/**
 * A recording ends early: its last line is cut off, or its end is missing.
 *
 * **What to do**: Record again, and let the recording end before the process does. What was read
 * before is valid.
 */
export class TruncatedRecordingError extends RxInformersError {
  static override readonly code = 'RXI_TRUNCATED_RECORDING';
  override readonly name = 'TruncatedRecordingError';
  constructor(
    /** The line that could not be read, or the one after the last; counted from 1. */
    readonly line: number,
    options?: ErrorOptions,
  ) {
    super(`the recording breaks off at line ${line}; what came before was replayed`, options);
  }
}

/**
 * A text is not a recording, or one of a format that this version does not know.
 *
 * **What to do**: Replay it with the version that recorded it, or record again.
 */
export class RecordingFormatError extends RxInformersError {
  static override readonly code = 'RXI_RECORDING_FORMAT';
  override readonly name = 'RecordingFormatError';
  constructor(readonly problem: string) {
    super(`cannot replay: ${problem}`);
  }
}

/**
 * Thrown for an option whose value makes no sense, such as a negative timeout.
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
    super(`option ${option} is ${JSON.stringify(value)}; ${expected} expected`);
  }
}
