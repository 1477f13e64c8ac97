import { createHmac, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { KubeConfigLike } from 'rx-informers/node';
import type { SchedulerLike } from 'rxjs';
import { answerWithFailure, type Failure } from './failure.js';
import { escaped, sendHtml } from './html-answer.js';
import { identify, minimumSecretLength, type Identity, type IdentityOptions } from './identity-headers.js';
import { OpenSessions, type OpenStream } from './open-sessions.js';
import { runCookie } from './session-cookies.js';
import type { TeamGate, Viewer } from './team-gate.js';
import { impersonation } from './viewer-credentials.js';

/** Milliseconds after which a watch, a log or a WebSocket is closed. The page opens it again. */
export const maxStreamDuration = 3_600_000;

/**
 * Lets an authenticating proxy tell who each viewer is, with headers on every request (`identify`).
 * There are no sessions, no sign-in and no cookie that means anything to this server.
 *
 * | request | answer |
 * | --- | --- |
 * | without an identity | 401, as a page or as a `Status` |
 * | with an identity that is not acceptable | 403, likewise |
 * | `/login`, `/logout` | 404: the proxy signs viewers in and out |
 *
 * **Guarantees**: Each request is sent to the API server as its own viewer (`impersonation`). A
 * stream ends at the latest after `maxStreamDuration`.
 *
 * **Does not guarantee**: That a stream ends when the viewer signs out at the proxy.
 *
 * @throws if the secret is too short
 */
export function identityGate(
  kubeConfig: KubeConfigLike,
  { publicUrl, ...options }: IdentityOptions & { readonly publicUrl: string },
  scheduler: SchedulerLike,
): TeamGate {
  if (options.secret.length < minimumSecretLength) {
    throw new Error(`the secret of the proxy needs ${minimumSecretLength} characters or more`);
  }
  const credentialsOf = impersonation(kubeConfig);
  const streams = new OpenSessions(scheduler);

  function viewerOf(identity: Identity): Viewer {
    const credentials = credentialsOf(identity);
    return { identity, credentials, user: identity.user, until: undefined, refused: () => undefined };
  }

  function attach(stream: OpenStream): void {
    streams.attach({ id: randomUUID(), until: scheduler.now() + maxStreamDuration }, stream);
  }

  /** Returns a cookie by which tabs of one viewer do not share objects with those of another. */
  function cookieOf({ user, groups }: Identity): string {
    const id = createHmac('sha256', options.secret)
      .update(JSON.stringify([user, groups]))
      .digest('hex');
    return runCookie(publicUrl, id.slice(0, 32));
  }

  return {
    admit(request, response, page) {
      const identification = identify(request, options);
      if (identification.type !== 'identified') {
        const failure: Failure =
          identification.type === 'refused'
            ? { code: 403, message: `the identity is refused: ${identification.message}` }
            : { code: 401, message: `you are not signed in; open ${publicUrl}` };
        answer(request, response, failure);
        return undefined;
      }
      if (page?.path === '/login' || page?.path === '/logout') {
        answer(request, response, { code: 404, message: 'the proxy in front of this server signs you in and out' });
        return undefined;
      }
      const { identity } = identification;
      if (page === undefined) attach(response);
      else response.setHeader('set-cookie', cookieOf(identity));
      return viewerOf(identity);
    },
    admitSocket(request, socket) {
      const identification = identify(request, options);
      if (identification.type !== 'identified') return undefined;
      attach(socket);
      return viewerOf(identification.identity);
    },
    close: () => {
      streams.close();
    },
  };
}

/** Answers with a page if a browser has requested one. */
function answer(request: IncomingMessage, response: ServerResponse, failure: Failure): void {
  request.resume();
  if (request.method !== 'GET' || !(request.headers.accept ?? '').includes('text/html')) {
    answerWithFailure(response, failure);
    return;
  }
  const text = escaped(failure.message);
  sendHtml(response, failure.code, `<title>Dashboard</title><main><h1>Dashboard</h1><p>${text}</p></main>`);
}
