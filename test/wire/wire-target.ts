import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { text } from 'node:stream/consumers';

export interface WireRequest {
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body. A string is sent unchanged, any other value as JSON. */
  readonly body?: unknown;
}

export interface WireReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface WireStream {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The lines of the response. The iteration ends when the server ends the response. */
  readonly lines: AsyncGenerator<string, void, undefined>;
  close(): void;
}

/** An API server that is used without a client library: requests and responses. */
export interface WireTarget {
  request(method: string, path: string, request?: WireRequest): Promise<WireReply>;
  /** Resolves when the headers have arrived. */
  watch(path: string, request?: WireRequest): Promise<WireStream>;
  /** Compacts all versions before the current one, if the server of the scenario supports it. */
  compact?(): Promise<void>;
}

/** @param credentials certificates and headers, if the server requires them */
export function httpTarget(url: string, credentials: RequestOptions = {}): WireTarget {
  const send = (method: string, path: string, { query = {}, headers = {}, body }: WireRequest = {}) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const search = new URLSearchParams(query).toString();
      const address = new URL(url + path + (search === '' ? '' : `?${search}`));
      const content = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
      const allHeaders: OutgoingHttpHeaders = {
        ...(credentials.headers as OutgoingHttpHeaders | undefined),
        'user-agent': 'wire/1',
        ...(content === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(content) }),
        ...headers,
      };
      const options = { agent: false, ...credentials, method, headers: allHeaders };
      const outgoing = address.protocol === 'https:' ? httpsRequest(address, options) : httpRequest(address, options);
      outgoing.on('response', resolve).on('error', reject).end(content);
    });
  return {
    request: async (method, path, request) => {
      const response = await send(method, path, request);
      return { ...headOf(response), text: await text(response) };
    },
    watch: async (path, { query = {}, ...request } = {}) => {
      const response = await send('GET', path, { ...request, query: { watch: 'true', ...query } });
      return { ...headOf(response), lines: linesOf(response), close: () => void response.destroy() };
    },
  };
}

function headOf(response: IncomingMessage): Pick<WireReply, 'status' | 'headers'> {
  const headers = Object.entries(response.headers).map(([name, value]) => [name, String(value)] as const);
  return { status: response.statusCode ?? 0, headers: Object.fromEntries(headers) };
}

async function* linesOf(response: IncomingMessage): AsyncGenerator<string, void, undefined> {
  let rest = '';
  response.setEncoding('utf8');
  for await (const chunk of response as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}
