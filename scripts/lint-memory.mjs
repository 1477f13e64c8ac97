import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/*
 * The files with which each check passed, in node_modules/.cache/lint. A check in which nothing has
 * changed is not started again: to start ESLint alone takes three seconds.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
const hashOf = (text) => createHash('sha1').update(text).digest('base64');

/**
 * Returns the files that Git knows or would add, with a hash of each.
 *
 * @returns {ReadonlyMap<string, string>}
 */
export function filesOfProject() {
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 };
  const paths = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], options);
  return new Map(
    paths
      .split('\0')
      .filter((path) => path !== '' && existsSync(root + path))
      .map((path) => [path, hashOf(readFileSync(root + path))]),
  );
}

/**
 * Returns what has changed since a check passed: files that were changed, added or deleted, and
 * `command` if the check has another command or another version of Node.
 *
 * @param {string} name the name of the check
 * @param {readonly string[]} command
 * @param {readonly (readonly [string, string])[]} files the files that the check reads, with a hash
 *   of each
 * @param {string} folder where to remember
 */
export function changesOf(name, command, files, folder = `${root}node_modules/.cache/lint`) {
  const memory = `${folder}/${name.replaceAll(/\W+/g, '-')}.json`;
  const now = { ...Object.fromEntries(files), command: hashOf(JSON.stringify([process.version, command])) };
  const passed = existsSync(memory) ? JSON.parse(readFileSync(memory, 'utf8')) : {};
  return {
    changed: Object.keys({ ...passed, ...now }).filter((path) => passed[path] !== now[path]),
    remember: () => {
      mkdirSync(folder, { recursive: true });
      writeFileSync(memory, JSON.stringify(now));
    },
  };
}
