import { startWorker } from '../run/worker.js';

/** Plain data, because it goes to another process. */
export interface PodsToServe {
  readonly pods: number;
  /** Over how many namespaces the pods are spread, evenly. */
  readonly namespaces: number;
  readonly shardedListAndWatch: boolean;
}

const entry = new URL('./api-server.ts', import.meta.url).href;
const TWO_MINUTES = 2 * 60_000;

/** Runs `measure` with the URL of an API server in a process of its own, which ends with it. */
export async function withApiServer<Result>(
  content: PodsToServe,
  measure: (url: string) => Promise<Result>,
): Promise<Result> {
  const ending = new AbortController();
  const worker = startWorker({
    title: 'the API server for tests',
    module: entry,
    message: { ...content },
    signal: ending.signal,
    timeout: TWO_MINUTES,
  });
  try {
    const { url } = (await worker.answer) as { readonly url: string };
    return await measure(url);
  } finally {
    await worker.end();
  }
}
