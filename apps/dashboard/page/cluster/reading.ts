import { fetchClient, type KubeClient } from 'rx-informers';
import { webSocketWatches, type WatchTransport } from 'rx-informers/client';
import { latestOnly } from 'rx-informers/store';

/**
 * The settings for reading the cluster, used by the shared worker and by a tab with its own
 * connections.
 */
export const reading = {
  // If a batch has several events about one object, only the latest one is kept.
  dedup: latestOnly,
  // Ends a watch on a dead connection within two minutes, even if no heartbeat detects it.
  watchTimeout: [60, 120],
} as const;

/**
 * How much of the past of each kind the shared worker keeps: an hour. If that takes more memory, it
 * joins old versions, into parts of at most five minutes.
 */
export const recorded = { for: 3_600_000, bytes: 2 ** 27, thinTo: 300_000 } as const;

/**
 * Watches use WebSockets: a browser opens only six HTTP connections to a host, and the page may
 * watch more kinds.
 *
 * A WebSocket of a browser cannot send `Accept`. Two subprotocols ask the server of the page for
 * tables. An API server (`kubectl proxy`) refuses two subprotocols, and the watch then uses `fetch`.
 */
const watches: WatchTransport = {
  name: 'web-socket',
  forClient: (scheduler) => {
    const [ofObjects, ofTables] = [objectSockets.forClient(scheduler), tableSockets.forClient(scheduler)];
    return (message, byFetch) => {
      if (message.headers.get('accept')?.includes('as=Table') !== true) return ofObjects(message, byFetch);
      const headers = new Headers(message.headers);
      headers.delete('accept');
      return ofTables({ ...message, headers }, byFetch);
    };
  },
};

const objectSockets = webSocketWatches();
const tableSockets = webSocketWatches({
  open: (url) => new WebSocket(url, ['table.rx-informers', 'json.rx-informers']),
});

/**
 * The header of each write. The dashboard's server for a team refuses writes without it, because
 * other sites cannot send it.
 */
export const writeMark = { 'x-rx-informers-dashboard': '1' } as const;

function marked(send: typeof fetch): typeof fetch {
  return (input, init) => {
    if (init?.method === undefined || init.method === 'GET') return send(input, init);
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(writeMark)) headers.set(name, value);
    return send(input, { ...init, headers });
  };
}

/**
 * Returns the client for the API at a path of the page's origin.
 *
 * @param send sends all requests except watches; default: the global `fetch`
 */
export function clientAt(baseUrl: string, send?: typeof fetch): KubeClient {
  return fetchClient({ baseUrl, watches, fetch: send && marked(send) });
}
