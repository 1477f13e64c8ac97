import type { StartClient } from './client.js';
import { followPods, type LoopPod } from './follow-pods.js';

/**
 * The code that a developer writes in an afternoon: LIST, WATCH, `JSON.parse` and a Map. It has no
 * index, no error handling and no reconnection.
 */
export function thinLoop(initialList: 'pages' | 'stream'): StartClient {
  return ({ url, listed, updated }) => {
    let cache = new Map<string, LoopPod>();
    let isStopped = false;
    const synced = new Promise<void>((resolve) => {
      void followPods(url, initialList, {
        listBegins: () => {
          cache = new Map();
        },
        item: (pod) => {
          cache.set(keyOf(pod), pod);
        },
        listed: () => {
          listed?.();
          resolve();
        },
        event: (type, pod) => {
          if (isStopped) return;
          if (type === 'DELETED') {
            cache.delete(keyOf(pod));
          } else if (type === 'ADDED' || type === 'MODIFIED') {
            cache.set(keyOf(pod), pod);
            updated?.(pod);
          }
        },
      });
    });
    return {
      synced,
      stop: () => {
        isStopped = true;
        cache.clear();
      },
    };
  };
}

function keyOf({ metadata }: LoopPod): string {
  return `${metadata.namespace}/${metadata.name}`;
}
