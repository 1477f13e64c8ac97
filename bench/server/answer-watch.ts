import type { ServerResponse } from 'node:http';
import type { ServerContent } from '../scenario.js';
import { send } from './send.js';
import { sendPaced } from './send-paced.js';
import type { ServedPods } from './served-pods.js';
import type { Session } from './session.js';
import { expiredLine } from './watch-lines.js';

export interface WatchContext {
  readonly content: ServerContent;
  readonly served: ServedPods;
  readonly session: Session;
}

/** A watch, or a streaming list that goes on as one: what there is to send once the client is ready, then silence. */
export async function answerWatch(
  { content, served, session }: WatchContext,
  query: URLSearchParams,
  response: ServerResponse,
): Promise<void> {
  const { socket } = response;
  if (socket === null) return;
  response.writeHead(200, { 'content-type': 'application/json', 'transfer-encoding': 'chunked' });
  response.flushHeaders();
  // The chunks are made already: they go past the response, which would make others.
  if (query.get('sendInitialEvents') === 'true') await send(socket, served.initialEvents.bytes);
  const leave = (): void => session.end();
  socket.once('close', leave);
  await session.whenStarted();
  if (socket.destroyed) return;
  if (session.expiresNext()) {
    socket.off('close', leave);
    socket.write(expiredLine());
    response.end();
    return;
  }
  if (content.writesPerSecond === undefined) {
    await send(socket, served.events.bytes);
  } else {
    await sendPaced(socket, served.events, content.writesPerSecond);
  }
  if ((content.events ?? 0) > 0) await send(socket, served.lastBookmark);
}
