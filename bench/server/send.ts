import { once } from 'node:events';
import type { Socket } from 'node:net';

const LARGEST_WRITE = 4 * 1024 * 1024;

/**
 * Sends bytes as fast as the client reads them. If the client disconnects, ends early without an
 * error.
 */
export async function send(socket: Socket, bytes: Buffer): Promise<void> {
  for (let start = 0; start < bytes.length && socket.writable; start += LARGEST_WRITE) {
    if (socket.write(bytes.subarray(start, start + LARGEST_WRITE))) continue;
    // If a client ends its process before all bytes are sent, this is no error: the socket is then
    // no longer writable.
    await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => undefined);
  }
}
