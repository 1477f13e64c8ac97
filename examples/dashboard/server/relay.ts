import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { timer, type SchedulerLike } from 'rxjs';
import { headersToBrowser } from './forwarded-headers.js';

/** Why there is no answer to pass on. */
export type RelayFailure =
  | { readonly type: 'not-sent'; readonly cause: unknown }
  | { readonly type: 'broken'; readonly cause: unknown }
  | { readonly type: 'late' }
  | { readonly type: 'redirected'; readonly location: string };

export interface RelayOptions {
  /** Makes the request to the server behind; may throw. */
  readonly open: () => ClientRequest;
  /** Milliseconds until the answer must have begun. */
  readonly answerTimeout: number;
  readonly scheduler: SchedulerLike;
  /** Called at most once, and only while nothing has been answered. */
  readonly onFailure: (failure: RelayFailure) => void;
}

/** How often the operating system asks a silent server whether it is still there. */
const tcpKeepAliveDelay = 30_000;

/**
 * Passes one request on and its answer back.
 *
 * The head of the answer is passed on at once, without waiting for a body: a watch of something quiet has none for minutes. Where the
 * browser goes away the request is destroyed, and where the answer breaks off, so does the connection to the browser: an
 * end would say that everything has been sent.
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
    // What is left of a body would stand before the next request on this connection.
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
    // An upgrade that nobody asked for is neither an answer nor an error.
    opened.on('close', () => {
      if (sent === opened) fail({ type: 'broken', cause: new Error('the connection was closed without an answer') });
    });
    if (isRepeatable) opened.end();
    else request.pipe(opened);
  }

  function passBack(answer: IncomingMessage): void {
    const status = answer.statusCode ?? 0;
    if (status < 200) {
      fail({ type: 'broken', cause: new Error(`${status} is no status of an answer`) });
      return;
    }
    if (status >= 300 && status < 400 && status !== 304) {
      fail({ type: 'redirected', location: answer.headers.location ?? 'nowhere' });
      return;
    }
    settle();
    response.writeHead(status, headersToBrowser(answer));
    response.flushHeaders();
    pipeline(answer, response, () => undefined);
  }

  send();
}

function isReset({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ECONNRESET' || code === 'EPIPE';
}
