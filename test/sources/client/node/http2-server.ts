import {
  createSecureServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  type Settings,
} from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { certificateAuthority, signedBy, type Certificate } from './certificates.js';

export type AnswerStream = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;

/** A server whose HTTP/2 frames a test controls. */
export interface Http2Server {
  readonly url: string;
  readonly port: number;
  /** All connections since the start. */
  readonly sessions: readonly ServerHttp2Session[];
  /** The number of connections that are open now. */
  readonly open: number;
  /** The paths of all requests. */
  readonly paths: readonly string[];
  /** The number of PING frames that the server received. Acknowledgements do not count. */
  readonly pings: number;
  close(): Promise<void>;
}

let certificate: Promise<Certificate> | undefined;

/** Returns a certificate for a server on 127.0.0.1. All tests of a file share it. */
export function serverCertificate(): Promise<Certificate> {
  certificate ??= certificateAuthority().then((ca) => signedBy(ca, '127.0.0.1'));
  return certificate;
}

export async function startHttp2Server(answer: AnswerStream, settings: Settings = {}): Promise<Http2Server> {
  const sessions: ServerHttp2Session[] = [];
  const paths: string[] = [];
  const sockets = new Set<Socket>();
  let pings = 0;
  const server = createSecureServer({ ...(await serverCertificate()), settings });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('session', (session) => {
    sessions.push(session);
    session.on('ping', () => pings++);
    session.on('error', () => undefined);
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    paths.push(headers[':path'] ?? '');
    answer(stream, headers);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}`,
    port,
    sessions,
    paths,
    get open() {
      return sockets.size;
    },
    get pings() {
      return pings;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** Answers with an empty JSON object. */
export const ok: AnswerStream = (stream) => {
  stream.respond({ ':status': 200, 'content-type': 'application/json' });
  stream.end('{}');
};

/** Begins a watch that does not end. */
export const watch: AnswerStream = (stream) => {
  stream.respond({ ':status': 200 });
  stream.write('{"type":"ADDED"}\n');
};
