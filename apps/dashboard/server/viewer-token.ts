import { StatusError } from 'rx-informers';
import { kubeClient, type KubeConfigLike } from 'rx-informers/node';
import { requestJson } from 'rx-informers/requests';
import { catchError, finalize, firstValueFrom, map, of, timeout, type SchedulerLike } from 'rxjs';

/** What the API server says about a token. `failed`: the API server could not be asked. */
export type TokenVerdict = 'accepted' | 'refused' | 'failed';

/** How long a sign-in waits for the API server, in milliseconds. */
const patience = 10_000;

/**
 * Returns true for the characters of a bearer token (RFC 6750). All others, such as line breaks,
 * would change the request in which the token is sent.
 */
export function isToken(text: string): boolean {
  return /^[\w.~+/-]+=*$/.test(text);
}

/**
 * Returns a kubeconfig with the address and the CA of another one, and without its credentials: no
 * token, no client certificate, no plugin.
 *
 * @param token the bearer token to send; default: none
 */
export function addressOf(kubeConfig: KubeConfigLike, token?: string): KubeConfigLike {
  return {
    getCurrentCluster: () => kubeConfig.getCurrentCluster(),
    applyToHTTPSOptions(options) {
      if (token !== undefined) options.headers = { authorization: `Bearer ${token}` };
      return Promise.resolve();
    },
  };
}

/**
 * Asks the API server whether it accepts the token of a kubeconfig. Every user who is authenticated
 * may create a SelfSubjectAccessReview. An anonymous user may not, so a token that an API server
 * ignores is refused, too.
 */
export function checkToken(kubeConfig: KubeConfigLike, scheduler: SchedulerLike): Promise<TokenVerdict> {
  const client = kubeClient(kubeConfig);
  const spec = { resourceAttributes: { verb: 'list', resource: 'pods' } };
  const answer$ = requestJson<unknown>(client, {
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec }),
  }).pipe(
    map((): TokenVerdict => 'accepted'),
    timeout({ first: patience, scheduler }),
    catchError((error: unknown) => of<TokenVerdict>(isRefusal(error) ? 'refused' : 'failed')),
    finalize(() => {
      client.close();
    }),
  );
  return firstValueFrom(answer$, { defaultValue: 'failed' });
}

function isRefusal(error: unknown): boolean {
  return error instanceof StatusError && (error.statusCode === 401 || error.statusCode === 403);
}

/** The claims of a token that are used. They are not verified. */
export interface TokenClaims {
  /** When the token expires, in milliseconds since the epoch. */
  readonly expiresAt: number | undefined;
  readonly subject: string | undefined;
}

/**
 * Reads the claims of a JSON Web Token, without verifying them. They decide only when the session
 * ends at the latest, and which name is shown if the API server reports none. Returns no claims for
 * any other token.
 */
export function claimsOf(token: string): TokenClaims {
  const { exp, sub } = payloadOf(token);
  return {
    expiresAt: typeof exp === 'number' ? exp * 1000 : undefined,
    subject: typeof sub === 'string' && sub !== '' ? sub : undefined,
  };
}

function payloadOf(token: string): { readonly exp?: unknown; readonly sub?: unknown } {
  const [, payload = ''] = token.split('.');
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    return typeof claims === 'object' && claims !== null ? claims : {};
  } catch {
    // The token is not a JSON Web Token.
    return {};
  }
}
