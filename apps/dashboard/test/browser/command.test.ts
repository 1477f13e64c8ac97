import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { until } from '../../../../test/support/until.js';
import { useStage } from './support/dashboard.js';
import { npmEnvironment } from './support/npm-environment.js';
import { podTable, statusText } from './support/places.js';
import { linesToAddress } from './support/printed-lines.js';

const projectRoot = fileURLToPath(new URL('../../../..', import.meta.url));

describe('npm run dashboard', () => {
  const { open } = useStage();

  it('builds the page and shows a live cluster with one command, until it is interrupted', async () => {
    // A process group of its own, as in a terminal, where Ctrl-C reaches all of it.
    const command = spawn('npm', ['run', '--silent', 'dashboard', '--', '--port', '0', '--pods', '60'], {
      cwd: projectRoot,
      env: environment(),
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(command, 'exit');
    let url = '';
    try {
      url = (await linesToAddress(command.stdout)).at(-1) ?? '';
      const { page, errors } = await open(url);
      await statusText(page, 'live').waitFor();
      await page
        .getByRole('list', { name: 'Nodes and their pods' })
        .getByRole('button', { name: /\W\d+ pods?: \d+ / })
        .first()
        .waitFor();
      const count = await podTable(page).getAttribute('aria-rowcount');
      await until(async () => (await podTable(page).getAttribute('aria-rowcount')) !== count, {
        what: 'pods come or go',
        within: 60_000,
      });
      expect(errors).toEqual([]);
    } finally {
      process.kill(-command.pid!, 'SIGINT');
    }
    await exited;
    await until(
      () =>
        fetch(url).then(
          () => false,
          () => true,
        ),
      { what: 'nothing serves any more', within: 60_000 },
    );
  });
});

/** With Jest's own NODE_ENV, the page would contain the development build of React. */
function environment(): NodeJS.ProcessEnv {
  const { NODE_ENV: _, ...others } = npmEnvironment();
  return others;
}
