/*
 * Sends the requests of the first screen before the page's main script has loaded. This file is
 * part of a small script of its own, so it imports almost nothing.
 */
import { apiBaseOf, namespaceOf } from '../address/api-base.js';
import { timedFetch } from './server-clock.js';

/**
 * The `limit` of the early list of pods. These are more rows than fit on a screen, and few enough
 * to arrive before the main script.
 */
export const firstPageSize = 50;

const answers = new Map<string, Promise<Response>>();

/**
 * Sends the requests that the first screen of an address needs. Requests pods only for the view that
 * has a table of pods.
 */
export function sendEarly(search: string): void {
  const parameters = new URLSearchParams(search);
  const base = apiBaseOf(search);
  for (const path of ['/dashboard/info', '/version']) send(`${base}${path}`);
  const view = parameters.get('view') ?? 'pods';
  if (view !== 'pods' || parameters.has('at')) return;
  const namespace = namespaceOf(parameters.get('namespace') ?? '');
  const path = namespace === undefined ? '/api/v1/pods' : `/api/v1/namespaces/${namespace}/pods`;
  send(`${base}${path}?limit=${firstPageSize}`);
}

function send(url: string): void {
  const answer = timedFetch(url, { headers: { accept: 'application/json' } });
  // The caller that takes the answer handles a failure.
  answer.catch(() => undefined);
  answers.set(url, answer);
}

/**
 * Returns the answer to a request that was sent early. Each early answer is returned once. Sends
 * any other request.
 */
export const fetchOrEarlier: typeof fetch = (input, init) => {
  const url = typeof input === 'string' ? input : '';
  const early = init?.method === undefined || init.method === 'GET' ? answers.get(url) : undefined;
  answers.delete(url);
  return early ?? timedFetch(input, init);
};
