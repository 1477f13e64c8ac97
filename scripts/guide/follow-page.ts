import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Browser } from 'playwright-core';
import { isKubectlInstalled, standInForKubectlProxy } from './kubectl-proxy.js';
import { stepsOf } from './page-steps.js';
import { runCommands, type Terminal } from './run-commands.js';
import { seeLiveRow } from './see-live-row.js';
import { freePorts, serverOf, withPorts, type ServerCommand } from './server-commands.js';
import { startServer, type RunningServer } from './start-server.js';

interface Follower {
  /** The folder to work in, empty at first. */
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Returns the browser, which is launched for the first link. */
  readonly browser: () => Promise<Browser>;
}

/**
 * Does what a page says, in its order. Servers run while a link is visited. If a page starts other
 * servers besides the one of the link, the link is visited once with each of them. Throws at the
 * first result that differs from the page.
 */
export async function followPage(page: string, { folder, environment, browser }: Follower): Promise<void> {
  const ports = await freePorts();
  let directory = folder;
  let servers: readonly ServerCommand[] = [];
  for (const step of stepsOf(withPorts(page, ports))) {
    const terminal: Terminal = { folder, directory, environment };
    switch (step.type) {
      case 'file': {
        const path = join(directory, step.name);
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, step.text);
        break;
      }
      case 'commands': {
        if (step.shell === 'bash') break;
        const ending = step.lines.filter((line) => serverOf(line, ports) === undefined);
        if (ending.length > 0) directory = runCommands(ending.join('\n'), step.output, terminal);
        servers = [...servers, ...step.lines.flatMap((line) => serverOf(line, ports) ?? [])];
        break;
      }
      case 'visit':
        for (const together of combinations(servers, Number(new URL(step.url).port))) {
          await whileRunning(together, terminal, async () => seeLiveRow(await browser(), step.url));
        }
        servers = [];
        break;
    }
  }
}

/**
 * Returns the groups of servers to run, one group for each visit. A group is the server that
 * listens on the port of the link, and one of the other servers, which start first. If the page
 * starts no other server, the only group is the server of the link.
 */
function combinations(servers: readonly ServerCommand[], port: number): readonly (readonly ServerCommand[])[] {
  const own = servers.filter((server) => server.port === port);
  const otherServers = servers.filter((server) => server.port !== port);
  return otherServers.length === 0 ? [own] : otherServers.map((server) => [server, ...own]);
}

async function whileRunning(
  commands: readonly ServerCommand[],
  terminal: Terminal,
  work: () => Promise<void>,
): Promise<void> {
  const running: RunningServer[] = [];
  try {
    for (const command of commands) running.push(await start(command, terminal));
    await work();
  } finally {
    for (const server of running.reverse()) await server.stop();
  }
}

function start(command: ServerCommand, terminal: Terminal): Promise<RunningServer> {
  const isMissing = command.line.startsWith('kubectl ') && !isKubectlInstalled();
  return isMissing ? standInForKubectlProxy(command, terminal) : startServer(command, terminal);
}
