import type { ServerResponse } from 'node:http';
import { piecesBetween } from './pieces.js';
import type { ServedPods } from './served-pods.js';

/** A page of the list, or all of it where there is no `limit`; the continuation names the position of its first item. */
export function answerList(served: ServedPods, query: URLSearchParams, response: ServerResponse): void {
  const count = served.items.offsets.length - 1;
  const start = Number(query.get('continue') ?? 0);
  const end = Math.min(count, start + (Number(query.get('limit')) || count));
  const metadata = {
    resourceVersion: served.resourceVersion,
    ...(end < count && { continue: String(end), remainingItemCount: count - end }),
  };
  const opening = JSON.stringify({ kind: 'PodList', apiVersion: 'v1', metadata }).slice(0, -1);
  const items = piecesBetween(served.items, start, end);
  const parts = [Buffer.from(`${opening},"items":[`), start === 0 ? items : items.subarray(1), Buffer.from(']}\n')];
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': parts.reduce((total, part) => total + part.length, 0),
  });
  for (const part of parts) response.write(part);
  response.end();
}
