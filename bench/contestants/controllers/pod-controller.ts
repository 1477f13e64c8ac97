import type { Client, SeenPod } from '../client.js';

/** The server of a controller of pods, and its work. */
interface PodControllerOptions {
  readonly url: string;
  /** The maximum number of concurrent runs. */
  readonly concurrency: number;
  /** Called with the newest pod of the cache for each key that was added or changed. */
  readonly reconcile: (pod: SeenPod | undefined) => Promise<void>;
}

export type StartPodController = (options: PodControllerOptions) => Client;
