import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { pipeline, type Duplex } from 'node:stream';
import { timer, type SchedulerLike } from 'rxjs';
import { headersToBrowser } from './forwarded-headers.js';

/** The reason why there is no answer to forward. */
export type RelayFailure =
  | { readonly type: 'not-sent'; readonly cause: unknown }
  | { readonly type: 'broken'; readonly cause: unknown }
  | { readonly type: 'late' }
  | { readonly type: 'redirected'; readonly location: string };

export interface RelayOptions {
  /** Creates the request to the API server; may throw. */
  readonly open: () => ClientRequest;
  /** Milliseconds until the answer must have begun. */
  readonly answerTimeout: number;
  readonly scheduler: SchedulerLike;
  /**
   * Called with the head of the answer. Returns its headers for the browser, and the stages through
   * which its bytes pass.
   */
  readonly prepare: (answer: IncomingMessage, headers: OutgoingHttpHeaders) => PreparedAnswer;
  /** Called at most once, and only before anything has been answered. */
  readonly onFailure: (failure: RelayFailure) => void;
}

export interface PreparedAnswer {
  readonly headers: OutgoingHttpHeaders;
  readonly stages: readonly Duplex[];
}

/**
 * Milliseconds of silence after which the operating system checks whether the server is still
 * there.
 */
const tcpKeepAliveDelay = 30_000;

/**
 * Forwards one request to the API server, and its answer to the browser.
 *
 * Forwards the head of the answer at once, without waiting for a body, because a quiet watch has no
 * body for minutes. If the browser disconnects, the request is destroyed. If the answer breaks, the
 * connection to the browser is destroyed: a normal end would mean that the answer is complete.
 */
export function relay(request: IncomingMessage, response: ServerResponse, options: RelayOptions): void {
  const isRepeatable = request.method === 'GET' || request.method === 'HEAD';
  let sent: ClientRequest | undefined;
  let isSettled = false;

  const tooLate = timer(options.answerTimeout, options.scheduler).subscribe(() => {
    fail({ type: 'late' });
  });
  response.once('close', () => {
    settle();
    if (!response.writableFinished) sent?.destroy();
  });

  function settle(): void {
    isSettled = true;
    tooLate.unsubscribe();
  }

  function fail(failure: RelayFailure): void {
    if (isSettled) return;
    settle();
    sent?.destroy();
    // Discards the remaining body. Otherwise the server would read it as the start of the next
    // request on this connection.
    request.unpipe().resume();
    options.onFailure(failure);
  }

  function send(): void {
    let opened: ClientRequest;
    try {
      opened = options.open();
    } catch (cause) {
      fail({ type: 'not-sent', cause });
      return;
    }
    sent = opened;
    opened.setSocketKeepAlive(true, tcpKeepAliveDelay);
    opened.on('error', (cause) => {
      if (isSettled) return;
      // The server closed an idle connection just when it was used again.
      if (isRepeatable && opened.reusedSocket && isReset(cause)) send();
      else fail({ type: 'broken', cause });
    });
    opened.on('response', passBack);
    // An upgrade that was not requested is neither an answer nor an error.
    opened.on('close', () => {
      if (sent === opened) fail({ type: 'broken', cause: new Error('the connection was closed without a response') });
    });
    if (isRepeatable) opened.end();
    else request.pipe(opened);
  }

  function passBack(answer: IncomingMessage): void {
    const status = answer.statusCode ?? 0;
    if (status < 200) {
      fail({ type: 'broken', cause: new Error(`${status} is not the status of a response`) });
      return;
    }
    if (status >= 300 && status < 400 && status !== 304) {
      fail({ type: 'redirected', location: answer.headers.location ?? 'nowhere' });
      return;
    }
    settle();
    const { headers, stages } = options.prepare(answer, headersToBrowser(answer));
    response.writeHead(status, headers);
    response.flushHeaders();
    pipeline([answer, ...stages, response], () => undefined);
  }

  send();
}

function isReset({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ECONNRESET' || code === 'EPIPE';
}
