import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Opens a WebSocket with this handshake. What it receives is read and dropped. */
export async function rawSocket(url: string, handshake: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => undefined);
  socket.write(handshake, 'latin1');
  const [answer] = (await once(socket, 'data')) as [Buffer];
  if (!answer.toString('latin1').startsWith('HTTP/1.1 101 ')) throw new Error(answer.toString('latin1'));
  return socket.resume();
}

export interface FrameOptions {
  /** Default: 1, a text. 9 is a ping, 0 continues a message. */
  readonly opcode?: number;
  readonly isCompressed?: boolean;
  /** Whether the message ends with this frame; default: true. */
  readonly isLast?: boolean;
}

/** Returns a frame of a client, with a mask of zeros, so that its content stays as it is. */
export function frame(content: Buffer, { opcode = 1, isCompressed = false, isLast = true }: FrameOptions = {}): Buffer {
  const first = (isLast ? 0x80 : 0) | (isCompressed ? 0x40 : 0) | opcode;
  const mask = Buffer.alloc(4);
  if (content.length < 126) return Buffer.concat([Buffer.from([first, 0x80 | content.length]), mask, content]);
  const head = Buffer.alloc(10);
  head[0] = first;
  head[1] = 0x80 | 127;
  head.writeBigUInt64BE(BigInt(content.length), 2);
  return Buffer.concat([head, mask, content]);
}

/** Returns one compressed message as frames of a length. */
export function fragmentsOf(content: Buffer, length: number): readonly Buffer[] {
  const count = Math.ceil(content.length / length);
  return Array.from({ length: count }, (_, index) =>
    frame(content.subarray(index * length, (index + 1) * length), {
      opcode: index === 0 ? 1 : 0,
      isCompressed: index === 0,
      isLast: index === count - 1,
    }),
  );
}

/** Resolves when the other side has closed the socket. */
export async function closed(socket: Socket): Promise<void> {
  if (!socket.destroyed) await new Promise<void>((resolve) => socket.once('close', () => resolve()));
}

/**
 * Writes the same bytes many times, as fast as the other side reads them, and resolves when the
 * other side has closed the socket.
 */
export async function flood(socket: Socket, bytes: Buffer, times: number): Promise<void> {
  const end = closed(socket);
  for (let sent = 0; sent < times && !socket.destroyed; sent++) {
    if (socket.write(bytes)) continue;
    await Promise.race([end, new Promise<void>((resolve) => socket.once('drain', resolve))]);
  }
  await end;
}

/** Returns by how many MB the memory of this process has grown at most during some work. */
export async function memoryGrowthDuring(work: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage().rss;
  let most = before;
  const sample = (): void => {
    most = Math.max(most, process.memoryUsage().rss);
  };
  const timer = setInterval(sample, 5);
  await work().finally(() => {
    clearInterval(timer);
  });
  sample();
  return (most - before) / 1024 / 1024;
}
