import type { ServerResponse } from 'node:http';
import type { ServerContent } from '../model/scenario.js';
import { PROTOBUF, type ProtobufPods } from './protobuf.js';
import { listBetween, type ServedPods } from './served-pods.js';

/**
 * Answers with a page of the list, or with the whole list if there is no `limit`. The continue
 * token is the position of the first item of the next page.
 */
export function answerList(
  { ignoresLimit = false }: ServerContent,
  served: ServedPods,
  query: URLSearchParams,
  response: ServerResponse,
): void {
  const count = served.items.offsets.length - 1;
  const start = Number(query.get('continue') ?? 0);
  const end = ignoresLimit ? count : Math.min(count, start + (Number(query.get('limit')) || count));
  send(response, 'application/json', listBetween(served, start, end));
}

/** Answers with the whole list. */
export function answerListInProtobuf({ list }: ProtobufPods, response: ServerResponse): void {
  send(response, PROTOBUF, [list]);
}

function send(response: ServerResponse, type: string, parts: readonly Buffer[]): void {
  response.writeHead(200, {
    'content-type': type,
    'content-length': parts.reduce((total, part) => total + part.length, 0),
  });
  for (const part of parts) response.write(part);
  response.end();
}
