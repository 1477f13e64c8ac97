import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stepsOf } from './guide/page-steps.js';
import { packageJson, projectRoot } from './project/entry-points.js';

/*
 * Installs the last commit of this repository as a dependency from git, into an empty project. npm
 * builds the package for that. Then runs the program of the first tutorial.
 */
const folder = mkdtempSync(join(tmpdir(), 'rx-informers-git-'));
try {
  const bare = join(folder, 'rx-informers.git');
  execFileSync('git', ['clone', '--quiet', '--bare', projectRoot, bare]);
  const project = join(folder, 'live-pods');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  const page = readFileSync(join(projectRoot, 'docs/tutorials/first-live-query.md'), 'utf8');
  const program = stepsOf(page).find((step) => step.type === 'file');
  if (program === undefined) throw new Error('the first tutorial has no program');
  writeFileSync(join(project, program.name), program.text);

  const peers = ['rxjs', '@kubernetes/client-node@1'];
  const options = ['--no-audit', '--no-fund', '--loglevel', 'error'];
  execFileSync('npm', ['install', ...options, `git+file://${bare}`, ...peers], { cwd: project, stdio: 'inherit' });
  const { stdout, status } = spawnSync(process.execPath, [program.name], {
    cwd: project,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 60_000,
  });
  if (status !== 0 || !/^worker-1 runs \d+ pods$/m.test(stdout))
    throw new Error(`${program.name} ended with ${status ?? 'a signal'} and printed: ${stdout}`);
  console.log(`${packageJson.name} was installed from git; ${program.name} of the first tutorial printed:\n${stdout}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
