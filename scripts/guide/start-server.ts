import { spawn } from 'node:child_process';
import { until } from '../../test/support/until.js';
import type { Terminal } from './run-commands.js';
import type { ServerCommand } from './server-commands.js';

export interface RunningServer {
  /** Stops the server, and resolves when its port is free again. */
  stop(): Promise<void>;
}

/**
 * Starts a server and resolves as soon as it answers. Throws if the server exits before that. The
 * server ends with this process at the latest.
 */
export async function startServer({ line, port }: ServerCommand, terminal: Terminal): Promise<RunningServer> {
  console.log(`$ ${line} &`);
  const { directory, environment } = terminal;
  // Runs in a process group of its own, because npm does not forward signals to the server.
  const child = spawn('sh', ['-c', line], {
    cwd: directory,
    env: environment,
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
  });
  const end = (): void => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid);
  };
  // Ends the server before the folder that it works in is removed.
  process.prependOnceListener('exit', end);
  const isReady = (): Promise<boolean> => {
    if (child.exitCode !== null) throw new Error(`${line}: exited by itself with code ${child.exitCode}`);
    return answers(port);
  };
  await until(isReady, { what: `${line} answers`, within: 60_000 });
  return {
    async stop() {
      process.off('exit', end);
      end();
      await until(async () => !(await answers(port)), { what: `${line} ends`, within: 60_000 });
    },
  };
}

function answers(port: number): Promise<boolean> {
  return fetch(`http://localhost:${port}/`, { headers: { connection: 'close' } }).then(
    () => true,
    () => false,
  );
}
