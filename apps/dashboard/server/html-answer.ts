import type { ServerResponse } from 'node:http';
import { pageHeaders } from './protective-headers.js';

/** Answers with a page of this server itself. */
export function sendHtml(
  response: ServerResponse,
  code: number,
  body: string,
  headers: Readonly<Record<string, string>> = pageHeaders,
): void {
  const html = Buffer.from(`<!doctype html><html lang="en"><meta charset="utf-8">${body}</html>\n`);
  response.writeHead(code, {
    ...headers,
    'content-type': 'text/html; charset=utf-8',
    'content-length': html.length,
    'cache-control': 'no-store',
  });
  response.end(html);
}

/**
 * Makes the page request itself again. A redirect would still count as a request from the other
 * site.
 */
export function askAgain(response: ServerResponse, address: string): void {
  sendHtml(response, 200, `<meta http-equiv="refresh" content="0; url=${escaped(address)}"><title>Dashboard</title>`);
}

/** Returns a text as HTML. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
