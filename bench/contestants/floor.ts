import type { StartClient } from './client.js';
import { followPods } from './follow-pods.js';

/**
 * Does the minimum work of any client: it sends the same requests, parses everything, and stores
 * nothing.
 */
export function floor(initialList: 'pages' | 'stream'): StartClient {
  return ({ url, listed, updated }) => {
    let isStopped = false;
    const synced = new Promise<void>((resolve) => {
      void followPods(url, initialList, {
        listed: () => {
          listed?.();
          resolve();
        },
        event: (type, pod) => {
          if (!isStopped && type === 'MODIFIED') updated?.(pod);
        },
      });
    });
    return {
      synced,
      stop: () => {
        isStopped = true;
      },
    };
  };
}
