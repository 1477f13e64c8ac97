import { request, type IncomingHttpHeaders, type IncomingMessage, type RequestOptions } from 'node:http';
import { buffer } from 'node:stream/consumers';

export interface Exchange {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface ExchangeOptions extends Omit<RequestOptions, 'agent'> {
  readonly body?: string | Buffer;
}

/** Sends what a test says, on a connection of its own, whatever `fetch` would make of it; gives the answer once its head is there. */
export function open(url: string, path: string, options: ExchangeOptions = {}): Promise<IncomingMessage> {
  const { body, ...rest } = options;
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    request({ hostname, port, path, agent: false, ...rest }, resolve)
      .on('error', reject)
      .end(body);
  });
}

/** The whole answer. */
export async function exchange(url: string, path: string, options?: ExchangeOptions): Promise<Exchange> {
  const answer = await open(url, path, options);
  return { status: answer.statusCode, headers: answer.headers, body: await buffer(answer) };
}

/** The `Status` in an answer. */
export function statusIn({ body }: Exchange): {
  readonly kind: string;
  readonly code: number;
  readonly message: string;
} {
  return JSON.parse(body.toString()) as { kind: string; code: number; message: string };
}
