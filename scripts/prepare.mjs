import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';

/*
 * npm runs this as the script `prepare`, which is the only script that it runs for a dependency
 * from git. Builds the package when npm is about to pack it: for `npm pack`, and for another project
 * that installs this repository. Does nothing after `npm ci` and `npm install` in a clone. `npm
 * publish` has built the package before, in `prepublishOnly`.
 */
const { npm_command: command, npm_config_local_prefix: project } = process.env;
const isClone = project !== undefined && existsSync(project) && realpathSync(project) === realpathSync('.');

if (command === 'pack' || !isClone) {
  const { status } = spawnSync(process.execPath, ['node_modules/tsup/dist/cli-default.js', '--silent'], {
    // The output of `npm pack --json` is only the list of files.
    stdio: ['ignore', 2, 2],
  });
  process.exitCode = status ?? 1;
}
