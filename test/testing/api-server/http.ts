import { createApiServer, type ApiServer, type ApiServerOptions } from 'rx-informers/testing';

/** The response to one request, made only with fetch. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // Bodies have no type, because the tests read them as any client would.
  readonly body: Json;
}

export interface Json {
  readonly [field: string]: Json;
  readonly [index: number]: Json;
}

export interface RequestOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export async function send(
  server: ApiServer,
  method: string,
  path: string,
  options: RequestOptions = {},
): Promise<Answer> {
  const { body, headers = {} } = options;
  const response = await fetch(server.url + path, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: parse(text) };
}

function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text as unknown as Json;
  }
}

export const get = (server: ApiServer, path: string, headers?: Readonly<Record<string, string>>): Promise<Answer> =>
  send(server, 'GET', path, headers ? { headers } : {});

export const post = (server: ApiServer, path: string, body: unknown): Promise<Answer> =>
  send(server, 'POST', path, { body });

export const patch = (
  server: ApiServer,
  path: string,
  body: unknown,
  type = 'application/merge-patch+json',
): Promise<Answer> => send(server, 'PATCH', path, { body, headers: { 'content-type': type } });

export interface WatchStream {
  readonly status: number;
  readonly headers: Headers;
  /** Resolves with the next `count` events. Fails after 20 seconds. */
  next(count: number): Promise<readonly Json[]>;
  /** Resolves with all events up to the end of the stream. */
  rest(): Promise<readonly Json[]>;
  close(): void;
}

/** Opens a watch and reads it line by line. */
export async function watch(
  server: ApiServer,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<WatchStream> {
  const abort = new AbortController();
  const response = await fetch(server.url + path, { headers, signal: abort.signal });
  const lines = linesOf(response);
  const rest = async (): Promise<readonly Json[]> => {
    const events: Json[] = [];
    for await (const line of lines) events.push(parse(line));
    return events;
  };
  return {
    status: response.status,
    headers: response.headers,
    rest,
    next: async (count) => {
      const events: Json[] = [];
      const timeout = setTimeout(() => {
        abort.abort(new Error(`only ${events.length} of ${count} events came: ${JSON.stringify(events)}`));
      }, 20_000);
      while (events.length < count) {
        const { value, done } = await lines.next();
        if (done === true)
          throw new Error(`the watch ended after ${events.length} of ${count} events: ${JSON.stringify(events)}`);
        events.push(parse(value));
      }
      clearTimeout(timeout);
      return events;
    },
    close: () => {
      abort.abort();
    },
  };
}

async function* linesOf(response: Response): AsyncGenerator<string, void, undefined> {
  if (response.body === null) return;
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

/** Starts a server before each test of a file and closes it after the test. */
export function useApiServer(options?: ApiServerOptions): () => ApiServer {
  let server: ApiServer;
  beforeEach(async () => {
    server = await createApiServer(options);
  });
  afterEach(() => server.close());
  return () => server;
}

export function configMap(
  name: string,
  labels?: Readonly<Record<string, string>>,
  data?: Readonly<Record<string, string>>,
): object {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, ...(labels ? { labels } : {}) },
    ...(data ? { data } : {}),
  };
}

export const configMaps = '/api/v1/namespaces/default/configmaps';

export const names = (list: Json): readonly unknown[] =>
  (list['items'] as unknown as readonly Json[]).map((item) => item['metadata']?.['name']);

/** Returns the type and the name of each event: `ADDED a`, `DELETED b`. */
export const summary = (events: readonly Json[]): readonly string[] =>
  events.map((event) => `${String(event['type'])} ${String(event['object']?.['metadata']?.['name'] ?? '')}`.trim());
