import { once } from 'node:events';
import type { Socket } from 'node:net';

const LARGEST_WRITE = 4 * 1024 * 1024;

/** Sends bytes as fast as they are read; ends early, without an error, where nobody reads them any more. */
export async function send(socket: Socket, bytes: Buffer): Promise<void> {
  for (let start = 0; start < bytes.length && socket.writable; start += LARGEST_WRITE) {
    if (socket.write(bytes.subarray(start, start + LARGEST_WRITE))) continue;
    await Promise.race([once(socket, 'drain'), once(socket, 'close')]);
  }
}
