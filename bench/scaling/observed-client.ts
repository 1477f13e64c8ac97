import { defer, filter, finalize, map, merge, Subject, takeUntil, tap } from 'rxjs';
import type { ResponsePart } from '../../src/client.js';
import type { KubeClient } from '../../src/index.js';

/** A client that counts its traffic. */
export interface ObservedClient extends KubeClient {
  /** The bytes of the bodies. They are the bytes on the wire, because nothing is compressed. */
  readonly bytes: number;
  /** The number of open exchanges. Each has its own connection. */
  readonly connections: number;
  /** Ends every watch of a path, like a server that has compacted its version. */
  expire(path: string): void;
}

const expired = `${JSON.stringify({
  type: 'ERROR',
  object: { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Expired', message: 'too old', code: 410 },
})}\n`;

export function observeClient(client: KubeClient): ObservedClient {
  const expirations = new Subject<string>();
  let bytes = 0;
  let connections = 0;
  return {
    get bytes() {
      return bytes;
    },
    get connections() {
      return connections;
    },
    expire: (path) => {
      expirations.next(path);
    },
    exchange: (request) =>
      defer(() => {
        connections += 1;
        const end = expirations.pipe(filter((path) => path === request.path && request.query?.['watch'] === true));
        const expiry = end.pipe(map((): ResponsePart => ({ type: 'bytes', bytes: new TextEncoder().encode(expired) })));
        const answer = client.exchange(request).pipe(
          tap((part) => {
            if (part.type === 'bytes') bytes += part.bytes.length;
          }),
        );
        return (request.query?.['watch'] === true ? merge(answer.pipe(takeUntil(end)), expiry) : answer).pipe(
          finalize(() => {
            connections -= 1;
          }),
        );
      }),
  };
}
