/** Accepts keys, and runs each of them. */
export interface KeyQueue {
  /**
   * Requests a run of `key`. A queue with priorities runs keys with a higher priority first
   * (default priority 0).
   */
  readonly add: (key: string, priority?: number) => void;
}

interface KeyQueueOptions {
  /** The maximum number of concurrent runs. */
  readonly concurrency: number;
  readonly run: (key: string) => Promise<void>;
}

export type OpenKeyQueue = (options: KeyQueueOptions) => KeyQueue;

/**
 * Returns keys of objects in a hundred namespaces, as an informer has them. The keys are flat
 * strings with a computed hash, because an informer uses them as keys of its Map.
 */
export function queueKeys(count: number): readonly string[] {
  const keys = Array.from({ length: count }, (_, number) => `namespace-${number % 100}/web-${number}`);
  return [...new Set(keys)];
}
