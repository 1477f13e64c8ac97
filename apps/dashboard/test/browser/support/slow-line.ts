import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** The speed of a network, for example of a phone's network. */
export interface LineSpeed {
  /** Round-trip time in milliseconds. */
  readonly roundTrip: number;
  /** The rate in bits per second. All connections share it. */
  readonly down: number;
  readonly up: number;
}

/**
 * The network that WebPageTest calls "3G Fast" and Lighthouse "slow 4G". "Fast 3G" of DevTools
 * imitates it, but slows each request separately.
 */
export const fast3G: LineSpeed = { roundTrip: 150, down: 1_600_000, up: 768_000 };

export interface SlowLine {
  /**
   * The address of the proxy. A browser that uses it sends and receives everything through the slow
   * line.
   */
  readonly proxy: string;
  close(): Promise<void>;
}

/**
 * Starts a SOCKS5 proxy that is as slow as such a line. Unlike the network emulation of the
 * debugger, it also slows workers and WebSockets, and the opening of a connection costs a round
 * trip.
 */
export async function slowLine({ roundTrip, down, up }: LineSpeed): Promise<SlowLine> {
  const sockets = new Set<Socket>();
  const toBrowser = direction(down, roundTrip / 2);
  const toServer = direction(up, roundTrip / 2);
  const server = createServer((browser) => {
    void accept(browser).then(({ host, port }) => {
      const upstream = connect(port, host);
      track(upstream);
      upstream.once('connect', () => {
        setTimeout(() => {
          browser.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
          toServer(browser, upstream);
          toBrowser(upstream, browser);
        }, roundTrip);
      });
    });
    track(browser);
  });
  const track = (socket: Socket): void => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
  };
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    proxy: `socks5://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * Returns one direction of the line. Its connections share the rate, and their chunks take turns.
 */
function direction(bitsPerSecond: number, delay: number): (from: Socket, to: Socket) => void {
  let freeAt = 0;
  const packet = 1460;
  return (from, to) => {
    const waiting: Buffer[] = [];
    let hasEnded = false;
    let isSending = false;
    const sendNext = (): void => {
      const chunk = waiting.shift();
      isSending = chunk !== undefined;
      if (chunk === undefined) {
        if (hasEnded) setTimeout(() => to.end(), delay);
        else from.resume();
        return;
      }
      const now = performance.now();
      freeAt = Math.max(freeAt, now) + (chunk.length * 8000) / bitsPerSecond;
      setTimeout(sendNext, freeAt - now);
      setTimeout(() => to.writable && to.write(chunk), freeAt - now + delay);
    };
    from.on('data', (data: Buffer) => {
      from.pause();
      for (let at = 0; at < data.length; at += 4 * packet) waiting.push(data.subarray(at, at + 4 * packet));
      if (!isSending) sendNext();
    });
    from.on('end', () => {
      hasEnded = true;
      if (!isSending) sendNext();
    });
  };
}

/** Does the SOCKS5 handshake, and returns the address to which the browser connects. */
async function accept(browser: Socket): Promise<{ readonly host: string; readonly port: number }> {
  await once(browser, 'readable');
  browser.read();
  browser.write(Buffer.from([5, 0]));
  await once(browser, 'readable');
  const request = browser.read() as Buffer;
  const isName = request[3] === 3;
  const end = isName ? 5 + request[4]! : 8;
  const host = isName ? request.toString('latin1', 5, end) : request.subarray(4, end).join('.');
  return { host, port: request.readUInt16BE(end) };
}
