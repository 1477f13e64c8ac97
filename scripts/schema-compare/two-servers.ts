import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import { isRxInformersError } from 'rx-informers';
import { createInMemoryApiServer } from 'rx-informers/testing';
import { catchError, firstValueFrom, map, of, reduce } from 'rxjs';

/** What a server answers. */
export interface Answer {
  readonly status: number;
  readonly body: {
    readonly message?: string;
    readonly details?: { readonly causes?: readonly Cause[] };
    readonly metadata?: { readonly resourceVersion?: string };
    readonly [field: string]: unknown;
  };
}

export interface Cause {
  readonly reason: string;
  readonly message: string;
  readonly field: string;
}

export type Send = (method: string, path: string, body?: unknown, contentType?: string) => Promise<Answer>;

/** Sends requests to the API server of the rig, whose folder has a `rig.json`. */
export function realServer(runDirectory: string): Send {
  const rig = JSON.parse(readFileSync(`${runDirectory}/rig.json`, 'utf8')) as Record<
    'server' | 'ca' | 'clientCert' | 'clientKey',
    string
  >;
  const agent = new Agent({
    keepAlive: true,
    maxSockets: 8,
    ca: readFileSync(rig.ca),
    cert: readFileSync(rig.clientCert),
    key: readFileSync(rig.clientKey),
  });
  return (method, path, body, contentType = 'application/json') =>
    new Promise((resolve, reject) => {
      const content = body === undefined ? '' : JSON.stringify(body);
      const headers = { 'content-type': contentType, 'content-length': Buffer.byteLength(content) };
      const outgoing = request(rig.server + path, { agent, method, headers }, (response) => {
        text(response)
          .then((received) => resolve({ status: response.statusCode ?? 0, body: parsed(received) }))
          .catch(reject);
      });
      outgoing.on('error', reject).end(content);
    });
}

function parsed(received: string): Answer['body'] {
  try {
    return JSON.parse(received) as Answer['body'];
  } catch {
    return { message: received };
  }
}

/** Sends requests to a new embedded server. */
export function embeddedServer(): Send {
  const { client } = createInMemoryApiServer();
  return async (method, path, body, contentType = 'application/json') => {
    const [address = '', search = ''] = path.split('?');
    const parts = client.exchange({
      method: method as 'POST',
      path: address,
      query: Object.fromEntries(new URLSearchParams(search)),
      headers: { 'content-type': contentType },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    return firstValueFrom(
      parts.pipe(
        reduce(
          (answer, part) => {
            if (part.type === 'head') return { ...answer, status: part.status };
            return { ...answer, text: answer.text + Buffer.from(part.bytes).toString() };
          },
          { status: 0, text: '' },
        ),
        map(({ status, text }) => ({ status, body: parsed(text) })),
        catchError((error: unknown) => {
          if (!isRxInformersError(error, 'RXI_STATUS')) throw error;
          return of({ status: error.statusCode, body: error.status as unknown as Answer['body'] });
        }),
      ),
    );
  };
}
