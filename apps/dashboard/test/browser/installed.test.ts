import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { useStage } from './support/dashboard.js';
import { npmEnvironment } from './support/npm-environment.js';
import { podTable, statusText } from './support/places.js';
import { linesToAddress } from './support/printed-lines.js';

const dashboard = fileURLToPath(new URL('../..', import.meta.url));

describe('the package of the dashboard', () => {
  const { open } = useStage();
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'rx-informers-dashboard-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  const npm = (cwd: string, ...args: readonly string[]): void => {
    execFileSync('npm', args, { cwd, env: npmEnvironment(), stdio: ['ignore', 'ignore', 'inherit'] });
  };

  it('is installed in an empty folder, and shows a live cluster with one command', async () => {
    npm(dashboard, 'run', 'build:server');
    npm(dashboard, 'pack', '--ignore-scripts', '--pack-destination', folder);
    const [tarball = ''] = readdirSync(folder);
    npm(folder, 'init', '--yes');
    npm(folder, 'install', '--no-audit', '--no-fund', `./${tarball}`);

    const began = performance.now();
    const times: Record<string, number> = {};
    const note = (what: string): void => {
      times[what] ??= Math.round(performance.now() - began);
    };
    const command = spawn('npx', ['rx-informers-dashboard', '--port', '0', '--pods', '60'], {
      cwd: folder,
      env: npmEnvironment(),
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(command, 'exit');
    try {
      const lines = await linesToAddress(command.stdout, (line) => {
        note('first line');
        return line.startsWith('http://');
      });
      const { page, errors } = await open(lines.at(-1) ?? '');
      await statusText(page, 'live').waitFor();
      expect(Number(await podTable(page).getAttribute('aria-rowcount'))).toBeGreaterThan(1);
      note('live page');
      expect(errors).toEqual([]);
      console.info(`milliseconds from the command: ${JSON.stringify(times)}`);
    } finally {
      process.kill(-command.pid!, 'SIGINT');
    }
    await exited;
  });
});
