import { createServer, type AddressInfo } from 'node:net';

/** A command that runs until it is stopped. */
export interface ServerCommand {
  readonly line: string;
  readonly port: number;
}

interface KnownServer {
  readonly begins: string;
  /** The port on which it listens by default. */
  readonly port: number;
  /** Returns the same command for another port. */
  readonly listeningOn: (line: string, port: number) => string;
}

const knownServers: readonly KnownServer[] = [
  { begins: 'kubectl proxy', port: 8001, listeningOn: (line, port) => `${line} --port=${port}` },
  { begins: 'node cluster.mjs', port: 8001, listeningOn: (line) => line },
  { begins: 'npm run dev', port: 5173, listeningOn: (line, port) => `${line} -- --port=${port} --strictPort` },
];

/**
 * The port on which the programs that a page contains listen, for example the health server of a
 * manager. Unlike the ports above, it belongs to no command that starts a server.
 */
const portOfManager = 8080;

/**
 * A free port for each port that a page names. The free ports replace those of the page, because
 * another program may listen on the latter, for example a `kubectl proxy` for a real cluster.
 */
type Ports = ReadonlyMap<number, number>;

export async function freePorts(): Promise<Ports> {
  const wanted = new Set([portOfManager, ...knownServers.map(({ port }) => port)]);
  const holders = [...wanted].map((port) => ({ port, server: createServer().listen(0, '127.0.0.1') }));
  const entries = await Promise.all(
    holders.map(async ({ port, server }) => {
      await new Promise((resolve) => server.once('listening', resolve));
      return [port, (server.address() as AddressInfo).port] as const;
    }),
  );
  await Promise.all(holders.map(({ server }) => new Promise((resolve) => server.close(resolve))));
  return new Map(entries);
}

/** Returns the text of the page, with each of its ports replaced by the free one. */
export function withPorts(page: string, ports: Ports): string {
  return [...ports].reduce((text, [from, to]) => text.replaceAll(String(from), String(to)), page);
}

/**
 * Returns the server that a line of the page starts, or `undefined` if the command ends by itself.
 */
export function serverOf(line: string, ports: Ports): ServerCommand | undefined {
  const known = knownServers.find(({ begins }) => line.startsWith(begins));
  if (known === undefined) return undefined;
  const port = ports.get(known.port) ?? known.port;
  return { line: known.listeningOn(line, port), port };
}
