import { KubeConfig } from '@kubernetes/client-node';
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { startDashboardServer } from '../../apps/dashboard/server/dashboard-server.js';
import type { Terminal } from './run-commands.js';
import type { ServerCommand } from './server-commands.js';
import type { RunningServer } from './start-server.js';

export function isKubectlInstalled(): boolean {
  try {
    execFileSync('kubectl', ['version', '--client'], { stdio: 'ignore', timeout: 20_000 });
    return true;
  } catch {
    return false;
  }
}

/**
 * Starts the dashboard's server as a replacement for `kubectl proxy`, with or without `--www`, on a
 * machine without kubectl. For the web page of a guide, the two behave the same.
 */
export async function standInForKubectlProxy(command: ServerCommand, terminal: Terminal): Promise<RunningServer> {
  console.log(`$ ${command.line} &\nkubectl is not installed: the dashboard's server stands in for it`);
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromFile(terminal.environment['KUBECONFIG'] ?? '');
  const page = join(terminal.folder, 'www');
  const [, www] = / --www=(\S+)/.exec(command.line) ?? [];
  mkdirSync(page, { recursive: true });
  if (www !== undefined) symlinkSync(resolve(terminal.directory, www), join(page, 'static'));
  const server = await startDashboardServer({ kubeConfig, page, port: command.port, allowWrites: true });
  return { stop: () => server.close() };
}
