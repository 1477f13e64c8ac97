import type { ServerContent } from '../model/scenario.js';
import { startWorker } from './worker.js';

/** The API server of one scenario. It runs in its own process, so that its cost is not measured. */
export interface Server {
  readonly url: string;
  readonly close: () => Promise<void>;
}

const entry = new URL('../server/main.ts', import.meta.url).href;
const TWO_MINUTES = 2 * 60_000;

export async function startServer(scenario: string, content: ServerContent, signal: AbortSignal): Promise<Server> {
  const title = `${scenario}, its server`;
  const worker = startWorker({ title, module: entry, message: { ...content }, signal, timeout: TWO_MINUTES });
  try {
    const { url } = (await worker.answer) as { readonly url: string };
    return { url, close: worker.end };
  } catch (error) {
    await worker.end();
    throw error;
  }
}
