import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ServerContent } from '../model/scenario.js';
import { PROTOBUF, type ProtobufPods } from './protobuf.js';
import { send, sendPaced } from './send.js';
import type { ServedPods } from './served-pods.js';
import type { Session } from './session.js';
import { expiredLine } from './watch-lines.js';

interface WatchContext {
  readonly content: ServerContent;
  readonly served: ServedPods;
  /** The pods in protobuf. `undefined`: the client requested JSON. */
  readonly protobuf: ProtobufPods | undefined;
  readonly session: Session;
}

/**
 * Answers a watch, or a streaming list that continues as a watch. Sends the events once the client
 * is ready, and nothing after them.
 */
export async function answerWatch(
  { content, served, protobuf, session }: WatchContext,
  query: URLSearchParams,
  response: ServerResponse,
): Promise<void> {
  const socket = response.socket ?? (await socketOf(response));
  const type = protobuf === undefined ? 'application/json' : `${PROTOBUF};stream=watch`;
  response.writeHead(200, { 'content-type': type, 'transfer-encoding': 'chunked' });
  response.flushHeaders();
  // The chunks already exist, so they are written to the socket. The response would create chunks
  // of its own.
  if (query.get('sendInitialEvents') === 'true')
    await send(socket, protobuf?.initialEvents ?? served.initialEvents.bytes);
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
  if (protobuf !== undefined) {
    await send(socket, protobuf.events);
    return;
  }
  if (content.writesPerSecond === undefined) {
    await send(socket, served.events.bytes);
  } else {
    await sendPaced(socket, served.events, content.writesPerSecond);
  }
  if ((content.events ?? 0) > 0) await send(socket, served.lastBookmark);
}

/**
 * Returns the socket of a response. If an earlier request on the same connection is not answered
 * yet, the response has no socket, so the function waits for it.
 */
async function socketOf(response: ServerResponse): Promise<Socket> {
  const [socket] = (await once(response, 'socket')) as [Socket];
  return socket;
}
