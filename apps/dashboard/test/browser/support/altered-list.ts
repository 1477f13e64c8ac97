import { map } from 'rxjs';
import type { ApiReply, BodyReader } from '../../../../../src/testing/api-server/exchange/exchange.js';
import type { ServerFault } from '../../../../../src/testing/api-server/faults/server-fault.js';

/**
 * Returns a fault that replaces JSON strings everywhere in responses, with values that no server
 * would have accepted.
 */
export function alteredList(replacements: Readonly<Record<string, string>>): ServerFault {
  const alter = (text: string): string =>
    Object.entries(replacements).reduce(
      (altered, [from, to]) => altered.replaceAll(JSON.stringify(from), JSON.stringify(to)),
      text,
    );
  return {
    name: 'alteredList()',
    intercept: (request, next) => next(request).pipe(map((reply) => changed(reply, alter))),
  };
}

function changed(reply: ApiReply, alter: (text: string) => string): ApiReply {
  if (reply.type === 'whole') return { ...reply, body: alter(reply.body) };
  return { ...reply, open: (listener) => alteredReader(reply.open(listener), alter) };
}

function alteredReader(reader: BodyReader, alter: (text: string) => string): BodyReader {
  return {
    read() {
      const piece = reader.read();
      return typeof piece === 'string' ? alter(piece) : piece;
    },
    get ended() {
      return reader.ended;
    },
    get broken() {
      return reader.broken;
    },
    get backlog() {
      return reader.backlog;
    },
    close: () => {
      reader.close();
    },
  };
}
