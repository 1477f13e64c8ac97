import type { KubernetesStatus } from './object.js';

/** Names a request. Every error message contains the method and the path, without the query. */
export type RequestLine = Readonly<{
  method: string;
  /** The path and the query, for example `/api/v1/pods?limit=500`. */
  url: string;
}>;

/** What the errors that a source or a collection reports have in common. */
export type Reported = Readonly<{
  /** True if the protocol handles this error by design; false if a person should look at it. */
  expected: boolean;
  /** What to do, if the error shows it. Lines on the console contain it after the message. */
  advice?: string | undefined;
}>;

/** Errors of clients, sources and recordings. */
export interface SourceErrorFields {
  /**
   * The API server does not serve this kind, or does not serve it in this version.
   *
   * **What to do**: Install the CustomResourceDefinition, or correct group, version and kind. After
   * an installation, call `discoverResource` again.
   */
  RXI_UNKNOWN_KIND: {
    readonly reference: { readonly apiVersion: string; readonly kind: string };
    /** The kinds of this group and version; empty if the server does not serve it. */
    readonly known: readonly string[];
  };

  /**
   * The API server has this kind, but does not support list and watch for this kind.
   *
   * **What to do**: Request its objects one by one with `resourceClient`: an informer cannot follow
   * them.
   */
  RXI_UNWATCHABLE_KIND: {
    readonly reference: { readonly apiVersion: string; readonly kind: string };
    /** The verbs that the kind supports, for example `create`. */
    readonly verbs: readonly string[];
  };

  /**
   * The API server answered with an HTTP status of 400 or more, or with a `Status` object in the
   * middle of a watch.
   *
   * `retryAfter` is in milliseconds: the `Retry-After` header, or `details.retryAfterSeconds` of
   * the status. It is `undefined` if the server did not send a number of at least 0. Apply an upper
   * limit of your own before you wait that long.
   *
   * **What to do**: A source tries again by itself. For 401 check the credentials, for 403 the RBAC
   * rules of the account, for 404 whether the kind is installed. For a write, use `reason` and
   * `statusCode` to decide; `isConflict` and `isNotFound` name the usual cases.
   *
   * **Expected**: if a server refuses a streaming list (400, 405, 422), forgets a version (410), or
   * does not know a version yet. The source then sends another request, and `error.expected` is
   * true. `SourceError` lists the exact conditions.
   */
  RXI_STATUS: Reported & {
    readonly request: RequestLine;
    /**
     * The `Status` object. If the response is something else, such as a proxy's HTML page, this
     * object is made from the HTTP status and the body.
     */
    readonly status: KubernetesStatus;
    readonly statusCode: number;
    /** The machine-readable reason, such as `Expired` or `Forbidden`; `''` if there is none. */
    readonly reason: string;
    readonly retryAfter: number | undefined;
  };

  /**
   * The API server could not be reached, or the connection broke: refused, reset, DNS, TLS
   * (`causeCode` is the error code of Node, for example `ECONNREFUSED`).
   *
   * **What to do**: A source tries again by itself. If the error lasts, check address, network,
   * certificates and proxy; `causeCode` names the cause.
   *
   * **Expected**: if a watch broke off and is opened again at once, because load balancers and
   * server restarts close connections. `error.expected` is then true.
   */
  RXI_CONNECTION: Reported & {
    readonly request: RequestLine;
    readonly cause: unknown;
    readonly causeCode: string;
  };

  /**
   * The credentials could not be read: token file, exec plugin, OIDC refresh, malformed kubeconfig.
   * Nothing was sent.
   *
   * **What to do**: A source tries again by itself. Check the kubeconfig and the plugin that the
   * cause names.
   */
  RXI_CREDENTIALS: Reported & { readonly request: RequestLine; readonly cause: unknown };

  /**
   * `inCluster` found no ServiceAccount: the program does not run in a pod, or its pod has
   * `automountServiceAccountToken: false`.
   *
   * **What to do**: In a pod, give it a ServiceAccount with a token. Elsewhere, use a `KubeConfig`
   * of `@kubernetes/client-node`.
   */
  RXI_NOT_IN_CLUSTER: {
    /** The variable or file that is missing. */
    readonly missing: string;
  };

  /**
   * `contexts$` cannot read a file of the kubeconfig: it is incomplete, malformed or deleted. The
   * last contexts stay.
   *
   * **What to do**: If the file is being written, nothing. Otherwise, correct it.
   */
  RXI_KUBECONFIG: {
    readonly file: string;
    readonly cause: unknown;
  };

  /**
   * The server sent nothing for longer than the timeout, and the source closed the connection (G6).
   *
   * **What to do**: The source reconnects by itself. If the error happens often, look for a proxy
   * that drops idle connections, or raise `listSilence`, `watchSilence` or `grace` for a slow
   * server.
   */
  RXI_SILENT_CONNECTION: Reported & {
    readonly request: RequestLine;
    readonly waitedFor: 'headers' | 'data';
    /** The number of milliseconds without a byte. */
    readonly silence: number;
  };

  /**
   * The server closed a watch within a second of opening, without an event (R14), or closed several
   * watches in a row without progress.
   *
   * **What to do**: The source tries again with backoff, and lists again after five such watches.
   * If the error lasts, look for a proxy that does not support streaming.
   *
   * **Expected**: for a streaming list, and for the first such watch in a row. `error.expected` is
   * then true.
   */
  RXI_EARLY_CLOSE: Reported & { readonly request: RequestLine; readonly times: number };

  /**
   * A response with a successful status has the wrong content: HTML, a Table, not a list, or a list
   * without a resourceVersion.
   *
   * **What to do**: Check that the address is that of an API server; login pages and proxies answer
   * with HTML. `body` holds the beginning of the answer.
   */
  RXI_RESPONSE: Reported & {
    readonly request: RequestLine;
    readonly problem: string;
    /** The beginning of the received body. */
    readonly body: string;
  };

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
  RXI_DECODE: Reported & {
    readonly request: RequestLine;
    readonly problem: string;
    /** The beginning of the line, and the length of the whole line in bytes. */
    readonly line: string;
    readonly byteLength: number;
  };

  /**
   * `transform` threw, or changed the name, namespace or uid of an object. A relist follows.
   *
   * **What to do**: Correct the function; `key` names the object. Until then, the store keeps the
   * result of the last call that succeeded.
   */
  RXI_TRANSFORM: Reported & { readonly key: string; readonly problem: string };

  /**
   * A streaming list did not end in time (R27), and the source lists in pages instead.
   *
   * **What to do**: Nothing. To skip the attempt, set `initialList: 'pages'`.
   *
   * **Expected**: always, because some servers accept streaming lists but never send the bookmark
   * that ends them.
   */
  RXI_BOOKMARK_DEADLINE: Reported & {
    readonly request: RequestLine;
    /** Milliseconds since the last byte, or since the last object of the initial state. */
    readonly deadline: number;
  };

  /**
   * The server is at an older version than one that it has sent before, because its etcd was
   * restored from a backup. The source lists the most recent state, so the cache is right again.
   *
   * **What to do**: Nothing for the cache. Data that your program has derived from later versions,
   * for example in a database, may be about objects that no longer exist.
   *
   * **Expected**: always, because the source handles it.
   */
  RXI_SERVER_RESTORED: Reported & {
    readonly request: RequestLine;
    /** The newest version that the source had received. */
    readonly knownVersion: string;
    /** The older version of the server. */
    readonly serverVersion: string;
  };

  /**
   * A source emitted something that is not a watch event, or an event that could not be applied.
   * The other events of its batch are kept, and the informer lists again.
   *
   * **What to do**: Correct the source; `problem` says what is wrong with the event. Events of
   * `listWatch` are always valid.
   */
  RXI_INVALID_EVENT: Reported & {
    /** The emitted value, if it is known. */
    readonly event: unknown;
    readonly problem: string;
  };

  /**
   * A source that is not part of this library failed, or a callback that was passed as an option
   * threw.
   *
   * **What to do**: Look at `cause`, which is the thrown error. If a source failed, the informer
   * subscribes to it again with backoff. If a callback threw, the source continues without the
   * result of the callback.
   */
  RXI_UNEXPECTED_SOURCE: Reported & { readonly cause: unknown; readonly problem: string };

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
   * HTTP/1.1, six tabs are too many, because a browser opens at most six connections to one host.
   * For `failed`, check the address of the script and `worker-src` of the content security policy.
   * For `other-version`, ask the user to close the older tabs. For `other-identity`, stop the
   * registry of each tab when its user signs out. For `lost`, look for errors of the worker at
   * `chrome://inspect/#workers`.
   *
   * **Expected**: for `unavailable`, `other-version` and `other-identity`. `error.expected` is then
   * true.
   */
  RXI_SHARED_WORKER: Reported & {
    readonly problem: 'unavailable' | 'failed' | 'other-version' | 'other-identity' | 'lost';
    /** A description of what happened. */
    readonly detail: string;
  };

  /**
   * A page cannot read from a hub now. It keeps the objects that it has, except after `forbidden`,
   * and tries again.
   *
   * | `problem` | what happened |
   * | --- | --- |
   * | `forbidden` | the user may not list and watch this kind in this namespace; the objects are removed |
   * | `not-served` | the hub does not serve this kind |
   * | `invalid` | the hub cannot evaluate the request, for example a field selector, or its limits are exceeded |
   * | `unavailable` | the hub cannot review the rights of the user, because the API server does not answer |
   * | `behind` | the hub is at an older version than the page |
   * | `slow` | the page did not process its messages in time |
   * | `protocol` | the page and the hub do not understand each other, for example after a deployment |
   * | `lost` | the connection to the hub failed or ended |
   * | `upstream` | the hub itself has lost the API server, or lacks rights; `upstreamCode` has the code of its error |
   *
   * **What to do**: For `forbidden`, grant the user `list` and `watch`. For `not-served`, add the
   * kind to the option `kinds` of `serveHub`. For `invalid`, read `detail`. For `protocol`, reload
   * the page. For `upstream`, look at the log of the hub, which has the cause. For the others,
   * nothing, unless the error lasts.
   */
  RXI_HUB: Reported & {
    readonly problem:
      | 'forbidden'
      | 'not-served'
      | 'invalid'
      | 'unavailable'
      | 'behind'
      | 'slow'
      | 'protocol'
      | 'lost'
      | 'upstream';
    readonly detail: string;
    /** The code of the hub's own error; present for `upstream`. */
    readonly upstreamCode?: string;
  };

  /**
   * A recording is incomplete: its last line is cut off, or the line that ends it is missing.
   *
   * **What to do**: Record again, and complete the recording before the process exits. The events
   * before the error are valid.
   */
  RXI_TRUNCATED_RECORDING: {
    /** The number, from 1, of the line that could not be read or is missing at the end. */
    readonly line: number;
  };

  /**
   * A text is not a recording, or its format is unknown to this version.
   *
   * **What to do**: Replay the recording with the version of this package that recorded it, or
   * record again.
   */
  RXI_RECORDING_FORMAT: { readonly problem: string };

  /**
   * The bytes of a response do not follow the protocol. A client or a source that knows the request
   * turns this error into `RXI_RESPONSE` or `RXI_DECODE`.
   *
   * **What to do**: See these codes.
   */
  RXI_WIRE: {
    readonly problem: string;
    /** The beginning of the bytes as text. Bytes that are not UTF-8 are replaced. */
    readonly line: string;
    /** The number of bytes, as far as they were read. */
    readonly byteLength: number;
  };
}
