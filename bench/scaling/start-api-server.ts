import { startWorker } from '../run/worker.js';

/**
 * The pods that an API server serves. This is plain data, because it is sent to another process.
 */
export interface PodsToServe {
  readonly pods: number;
  /** The number of namespaces. The pods are spread evenly over them. */
  readonly namespaces: number;
}

const entry = new URL('./api-server.ts', import.meta.url).href;
const TWO_MINUTES = 2 * 60_000;

/**
 * Starts an API server in a process of its own, and calls `measure` with its URL. The server ends
 * when the result of `measure` has settled.
 */
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
