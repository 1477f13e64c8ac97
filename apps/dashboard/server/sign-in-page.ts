import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { escaped, sendHtml } from './html-answer.js';
import { formHeaders } from './protective-headers.js';

/** The reason why a viewer is not signed in. */
export type SignInProblem = 'refused' | 'too-many' | 'too-large' | 'unreachable' | 'malformed';

const problems: Readonly<Record<SignInProblem, { readonly code: number; readonly text: string }>> = {
  refused: { code: 403, text: 'The cluster does not accept this token.' },
  'too-many': { code: 429, text: 'Too many attempts. Try again in a minute.' },
  'too-large': { code: 413, text: 'This token is too long for the dashboard.' },
  unreachable: { code: 502, text: 'The cluster does not respond. Try again later.' },
  malformed: { code: 400, text: 'The form could not be read.' },
};

const style = `
:root { color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.5; }
main { max-width: 26rem; margin: 15vh auto 0; padding: 0 1rem; }
label, input, button { display: block; font: inherit; }
input { box-sizing: border-box; width: 100%; margin: 0.25rem 0 1rem; padding: 0.5rem; }
button { padding: 0.5rem 1.5rem; }
[role='alert'] { border-left: 0.25rem solid #c62828; padding-left: 0.75rem; }
`;
const headers = formHeaders(`sha256-${createHash('sha256').update(style).digest('base64')}`);

/**
 * Sends the page with the form for the token. It has no script, and loads nothing.
 *
 * @param to the path of the page that is opened after the sign-in
 * @param problem the reason why the last attempt failed; default: there was none
 */
export function sendSignInPage(response: ServerResponse, to: string, problem?: SignInProblem): void {
  const { code, text } = problem === undefined ? { code: 200, text: undefined } : problems[problem];
  const alert = text === undefined ? '' : `<p role="alert">${text}</p>`;
  sendHtml(
    response,
    code,
    `<meta name="viewport" content="width=device-width"><title>Sign in to the dashboard</title><style>${style}</style>
<main><h1>Sign in</h1>${alert}
<form method="post" action="/login" autocomplete="off">
<input type="hidden" name="to" value="${escaped(to)}">
<label for="token">Your bearer token for the cluster</label>
<input id="token" name="token" type="password" required autofocus autocomplete="off" spellcheck="false">
<button>Sign in</button></form>
<p>You see and change what this token may see and change. For example, the token of a service account:
<code>kubectl create token NAME</code></p></main>`,
    headers,
  );
}

/** The longest path that is opened after a sign-in. */
const longestPath = 2_000;

/**
 * Returns a path of this server with its query. Returns `/` for anything that a browser might read
 * as the address of another server, and for the paths of the sign-in itself.
 */
export function localPath(text: string | null): string {
  const base = 'https://dashboard.invalid';
  if (text === null || text.length > longestPath || !text.startsWith('/') || !URL.canParse(text, base)) return '/';
  const { origin, pathname, search } = new URL(text, base);
  // A path such as `/.//other.example` has the right origin, but becomes `//other.example`.
  if (origin !== base || pathname.startsWith('//') || /^\/log(in|out)\b/.test(pathname)) return '/';
  return `${pathname}${search}`;
}
