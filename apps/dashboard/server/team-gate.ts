import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Viewer as HubViewer } from 'rx-informers/hub';
import type { KubeConfigLike } from 'rx-informers/node';
import type { SchedulerLike } from 'rxjs';
import { isForeign, isNavigation } from './admission.js';
import { userName } from './cluster-facts.js';
import { answerWithFailure } from './failure.js';
import { askAgain } from './html-answer.js';
import type { IdentityOptions } from './identity-headers.js';
import type { PageTarget } from './key.js';
import { OpenSessions, type OpenStream } from './open-sessions.js';
import { readForm } from './read-form.js';
import { sessionCookies, type Session } from './session-cookies.js';
import { SignInLimit } from './sign-in-limit.js';
import { localPath, sendSignInPage } from './sign-in-page.js';
import { tokenCredentials, type ReadCredentials } from './viewer-credentials.js';
import { addressOf, checkToken, claimsOf, isToken } from './viewer-token.js';

/** How the dashboard is served to a team. */
export interface TeamOptions {
  /** The origin at which browsers reach the dashboard: `https://dash.example.com`. */
  readonly publicUrl: string;
  /**
   * The secret of the session cookies: at least 32 bytes, the same for all replicas. Default: a
   * random one, so that sessions end with the process.
   */
  readonly sessionKey?: Buffer | undefined;
  /** The longest time of a session; default: 8. */
  readonly sessionHours?: number | undefined;
  /**
   * Whether the server reads the kinds of `hubKinds` once for all viewers, with the credentials of
   * its kubeconfig (`hubSockets`). Default: false, and the server uses no credentials of its own.
   */
  readonly hub?: boolean | undefined;
  /**
   * Makes an authenticating proxy tell who each viewer is (`identityGate`), instead of a sign-in.
   * The credentials of the kubeconfig then impersonate the viewers. Default: a sign-in.
   */
  readonly identity?: IdentityOptions | undefined;
}

/** The signed-in sender of a request. */
export interface Viewer {
  /** The bearer token for the API server, or the identity that a proxy has confirmed. */
  readonly identity: HubViewer;
  /** Reads the credentials for requests to the API server. */
  readonly credentials: ReadCredentials;
  readonly user: string | null;
  /** When the session ends, in milliseconds since the epoch; `undefined` without sessions. */
  readonly until: number | undefined;
  /** Ends the session, because the API server does not accept the token any longer. */
  readonly refused: () => void;
}

export interface TeamGate {
  /**
   * Returns the sender of an admitted request. Answers the request itself, and returns `undefined`,
   * if the sender is not signed in, and for the sign-in and the sign-out.
   *
   * @param page the requested file; `undefined` for the API
   */
  admit(request: IncomingMessage, response: ServerResponse, page: PageTarget | undefined): Viewer | undefined;
  /**
   * Returns the sender of an admitted upgrade; `undefined` if the sender is not signed in. Destroys
   * `socket` when the session ends.
   */
  admitSocket(request: IncomingMessage, socket: OpenStream): Viewer | undefined;
  /** Stops all timers. */
  close(): void;
}

/**
 * Lets each viewer sign in with a bearer token for the API server.
 *
 * | request | answer |
 * | --- | --- |
 * | `GET /login` | the form |
 * | `POST /login` with a token that the API server accepts | the cookies of a session, and the page |
 * | `POST /login` with any other token | the form, always with the same text; 429 after many attempts |
 * | `POST /logout` | removes the cookies, and closes the streams of the session |
 * | the page, without a session | the form |
 * | anything else, without a session | 401 |
 *
 * **Guarantees**: A token is accepted only in the form and in the encrypted cookies, never in an
 * address or a header. A session ends with its token, after `sessionHours`, when the viewer signs
 * out, and when the API server answers 401. Its streams are closed at that moment.
 *
 * **Does not guarantee**: That a copied cookie is refused by other replicas after the viewer has
 * signed out. It is valid there until the session expires.
 */
export function teamGate(
  kubeConfig: KubeConfigLike,
  { publicUrl, sessionKey = randomBytes(32), sessionHours = 8 }: TeamOptions,
  scheduler: SchedulerLike,
): TeamGate {
  const cookies = sessionCookies({ sessionKey, publicUrl });
  const sessions = new OpenSessions(scheduler);
  const limit = new SignInLimit({ scheduler });
  const credentialsOf = tokenCredentials(kubeConfig);

  function viewerOf({ token, user, until }: Session, refused: () => void): Viewer {
    return { identity: { token }, credentials: credentialsOf(token), user, until, refused };
  }

  /** Returns the cookies of a new session for a token, or the reason why there is none. */
  async function signIn(token: string): Promise<readonly string[] | 'refused' | 'too-large' | 'unreachable'> {
    const { expiresAt = Infinity, subject = null } = claimsOf(token);
    const until = Math.min(scheduler.now() + sessionHours * 3_600_000, expiresAt);
    if (until <= scheduler.now()) return 'refused';
    const id = randomBytes(16).toString('hex');
    if (cookies.seal({ id, token, user: null, until }) === undefined) return 'too-large';
    const viewer = addressOf(kubeConfig, token);
    const verdict = await checkToken(viewer, scheduler);
    if (verdict !== 'accepted') return verdict === 'refused' ? 'refused' : 'unreachable';
    const user = (await userName(viewer, scheduler)) ?? subject;
    return cookies.seal({ id, token, user, until }) ?? 'too-large';
  }

  async function receiveForm(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const takeBack = limit.begin(request.socket.remoteAddress ?? '');
    if (takeBack === undefined) {
      response.setHeader('retry-after', limit.retryAfter);
      refuseForm(request, response);
      sendSignInPage(response, '/', 'too-many');
      return;
    }
    const form = await readForm(request);
    if (form === 'too-large' || form === 'malformed') {
      refuseForm(request, response);
      sendSignInPage(response, '/', form);
      return;
    }
    const to = localPath(form.get('to'));
    const token = (form.get('token') ?? '').trim();
    const result = isToken(token) ? await signIn(token) : 'refused';
    if (typeof result === 'string') {
      if (result === 'unreachable') takeBack();
      sendSignInPage(response, to, result);
      return;
    }
    takeBack();
    endSession(request);
    response.writeHead(303, { location: to, 'set-cookie': [...result], 'cache-control': 'no-store' }).end();
  }

  /** Returns the session of a request, if it has not ended. */
  function sessionOf({ headers }: IncomingMessage): Session | undefined {
    const session = cookies.open(headers.cookie);
    return session === undefined || sessions.hasEnded(session) ? undefined : session;
  }

  function endSession({ headers }: IncomingMessage): void {
    const session = cookies.open(headers.cookie);
    if (session !== undefined) sessions.end(session);
  }

  function signOut(request: IncomingMessage, response: ServerResponse): void {
    endSession(request);
    request.resume();
    response.writeHead(204, { 'set-cookie': [...cookies.remove()], 'cache-control': 'no-store' }).end();
  }

  function answerWithoutSession(
    request: IncomingMessage,
    response: ServerResponse,
    page: PageTarget | undefined,
  ): void {
    if (cookies.has(request.headers.cookie)) response.setHeader('set-cookie', [...cookies.remove()]);
    if (page === undefined || !isRead(request) || !(request.headers.accept ?? '').includes('text/html')) {
      answerWithFailure(response, { code: 401, message: `you are not signed in; sign in at ${publicUrl}/login` });
      return;
    }
    const address = `${page.path}${page.query}`;
    // A browser sends no cookie after a link on another site, so the session may exist.
    if (isForeign(request.headers) && isNavigation(request.headers)) {
      askAgain(response, address);
      return;
    }
    const to = localPath(address);
    const location = to === '/' ? '/login' : `/login?${new URLSearchParams({ to }).toString()}`;
    response.writeHead(303, { location, 'cache-control': 'no-store' }).end();
  }

  return {
    admit(request, response, page) {
      const { method = '' } = request;
      if (page?.path === '/login') {
        if (method === 'POST') {
          receiveForm(request, response).catch(() => {
            answerWithFailure(response, { code: 500, message: 'the sign-in failed' });
          });
        } else if (isRead(request)) sendSignInPage(response, localPath(new URLSearchParams(page.query).get('to')));
        else
          answerWithFailure(
            response,
            { code: 405, message: `${method} is refused: use GET or POST` },
            'GET, HEAD, POST',
          );
        return undefined;
      }
      if (page?.path === '/logout') {
        if (method === 'POST') signOut(request, response);
        else answerWithFailure(response, { code: 405, message: `${method} is refused: use POST` }, 'POST');
        return undefined;
      }
      const session = sessionOf(request);
      if (session === undefined) {
        answerWithoutSession(request, response, page);
        return undefined;
      }
      if (page === undefined) sessions.attach(session, response);
      return viewerOf(session, () => {
        sessions.end(session, response);
        if (!response.headersSent) response.setHeader('set-cookie', [...cookies.remove()]);
      });
    },
    admitSocket(request, socket) {
      const session = sessionOf(request);
      if (session === undefined) return undefined;
      sessions.attach(session, socket);
      return viewerOf(session, () => {
        sessions.end(session);
      });
    },
    close: () => {
      sessions.close();
    },
  };
}

function isRead({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Closes the connection after the answer, because the body of the request is not read. */
function refuseForm(request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('connection', 'close');
  response.once('finish', () => request.destroy());
}
