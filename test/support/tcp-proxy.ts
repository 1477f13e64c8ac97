import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A TCP proxy that can fail like a network. */
export interface TcpProxy {
  readonly port: number;
  /** The number of connections since the start. */
  readonly accepted: number;
  /**
   * Stops forwarding in both directions until `resume`. All connections stay open, and new
   * connections are accepted.
   */
  stall(): void;
  resume(): void;
  /**
   * Never forwards anything on the present connections again, and keeps them open, as a firewall
   * does that has forgotten them. Later connections work.
   */
  silence(): void;
  /** Resets all connections. */
  cut(): void;
  /**
   * Forwards this many further bytes to clients, counted over all connections. After that, ends
   * each connection on which the server sends more.
   */
  truncateAfter(bytes: number): void;
  close(): Promise<void>;
}

/** Starts a proxy on a free port of this machine. It forwards to a server on the port `target`. */
export async function startTcpProxy(target: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const silenced = new Set<Socket>();
  let isStalled = false;
  let left = Infinity;
  let accepted = 0;

  function forward(from: Socket, to: Socket, limit: (chunk: Buffer) => Buffer): void {
    sockets.add(from);
    if (isStalled) from.pause();
    from.on('data', (chunk) => {
      const sent = limit(chunk);
      if (sent.length < chunk.length) to.end(sent);
      else if (!to.write(sent)) from.pause();
    });
    to.on('drain', () => {
      if (!isStalled && !silenced.has(from)) from.resume();
    });
    from.on('error', () => undefined);
    from.on('close', () => {
      sockets.delete(from);
      if (!silenced.delete(from)) to.destroy();
    });
  }

  const server = createServer((client) => {
    accepted++;
    const upstream = connect(target, '127.0.0.1');
    forward(client, upstream, (chunk) => chunk);
    forward(upstream, client, (chunk) => {
      const sent = chunk.subarray(0, left);
      left -= sent.length;
      return sent;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    get accepted() {
      return accepted;
    },
    stall: () => {
      isStalled = true;
      for (const socket of sockets) socket.pause();
    },
    resume: () => {
      isStalled = false;
      for (const socket of sockets) if (!silenced.has(socket)) socket.resume();
    },
    silence: () => {
      for (const socket of sockets) {
        socket.pause();
        silenced.add(socket);
      }
    },
    cut: () => {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    truncateAfter: (bytes) => {
      left = bytes;
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => {
          resolve();
        });
      }),
  };
}
