import type { StartClient } from './client.js';
import { followPods } from './follow-pods.js';

/** The least that anybody can do who wants to know what was said: the same requests, all of it parsed, nothing kept. */
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
