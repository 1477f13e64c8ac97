import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isForeign, isNavigation } from './admission.js';
import { answerWithFailure } from './failure.js';
import { askAgain, sendHtml } from './html-answer.js';

/** Returns a random key that cannot be guessed. Each run of the server uses a new one. */
export function randomKey(): string {
  return randomBytes(24).toString('base64url');
}

/**
 * Returns the name of the cookie. It contains the port, because all ports of a machine share their
 * cookies: two dashboards must not overwrite each other's cookie.
 */
export function cookieName(port: number): string {
  return `rx-informers-dashboard-${port}`;
}

export interface KeyCheck {
  readonly key: string;
  readonly port: number;
}

/** A request for a file of the page. Its address may contain the key. */
export interface PageTarget {
  readonly path: string;
  /** The query with its question mark, or an empty string. */
  readonly query: string;
}

/**
 * Accepts requests that have the key: in a cookie, as `Authorization: Bearer`, or in the address of
 * the page. A key in the address is moved into the cookie. A second cookie lets the page tell the
 * runs of the server apart. Answers all other requests itself, with a text for people.
 *
 * The cookie is `SameSite=Strict`, so no other site can send it. A browser also omits it after a
 * link on another site. The answer then makes the page request itself again, and that request has
 * the cookie.
 *
 * @param page the requested file; `undefined` for the API
 * @returns true if the request may continue
 */
export function admitByKey(
  request: IncomingMessage,
  response: ServerResponse,
  { key, port }: KeyCheck,
  page: PageTarget | undefined,
): boolean {
  const parameters = new URLSearchParams(page?.query);
  const keyText = parameters.get('key');
  if (page !== undefined && keyText !== null && isRead(request)) {
    if (!isSame(keyText, key)) {
      sayInWords(response, 403, 'This key belongs to an earlier start of the dashboard.');
      return false;
    }
    parameters.delete('key');
    const query = parameters.size === 0 ? '' : `?${parameters.toString()}`;
    response.setHeader('set-cookie', [
      `${cookieName(port)}=${key}; Path=/; HttpOnly; SameSite=Strict`,
      // The page reads this one. It does not reveal the key.
      `${cookieName(port)}-run=${digestOf(`run ${key}`).toString('hex')}; Path=/; SameSite=Strict`,
    ]);
    askAgain(response, `${page.path}${query}`);
    return false;
  }
  if (hasKey(request, { key, port })) return true;
  if (page === undefined || !(request.headers.accept ?? '').includes('text/html')) {
    const message = 'the key is missing or wrong; open the address that the dashboard printed in its terminal';
    answerWithFailure(response, { code: 401, message });
    return false;
  }
  if (isForeign(request.headers) && isNavigation(request.headers)) askAgain(response, `${page.path}${page.query}`);
  else sayInWords(response, 401, 'This browser does not have the key of the dashboard.');
  return false;
}

function isRead({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD';
}

function hasKey({ headers }: IncomingMessage, { key, port }: KeyCheck): boolean {
  const cookies = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return (
    cookies.some((pair) => isSame(pair, `${cookieName(port)}=${key}`)) ||
    isSame(headers.authorization ?? '', `Bearer ${key}`)
  );
}

/** Compares two texts in constant time, wherever they differ. */
function isSame(a: string, b: string): boolean {
  return timingSafeEqual(digestOf(a), digestOf(b));
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function sayInWords(response: ServerResponse, code: number, what: string): void {
  sendHtml(
    response,
    code,
    `<title>The dashboard needs its key</title><h1>The dashboard needs its key</h1><p>${what}</p>
<p>Open the address with <code>?key=</code> that the dashboard printed in its terminal.
Each start of the dashboard creates a new key. The key keeps out other users and programs of this machine.</p>`,
  );
}
