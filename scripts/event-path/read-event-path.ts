import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { projectRoot } from '../project/entry-points.js';

/** The functions of one file of src that run while one event arrives. */
export interface FileOnPath {
  /** The path of the file, relative to `src`. */
  readonly file: string;
  /** The names of the functions, each once. A function without a name has the name `''`. */
  readonly functions: readonly string[];
}

const client = fileURLToPath(new URL('client.ts', import.meta.url));
const page = 'docs/contributing/architecture.md';
const block = /(<!-- event path -->\n)[^]*?(\n<!-- \/event path -->)/;

/**
 * Runs an informer in another process, with `NODE_ENV=production`, and returns the files and
 * functions that one MODIFIED event of a pod runs through, from the socket to a subscriber of
 * `byIndex$`. The files are in the order of their paths.
 */
export function readEventPath(): readonly FileOnPath[] {
  const text = execFileSync(process.execPath, ['--import', 'tsx', client], {
    cwd: projectRoot,
    encoding: 'utf8',
    env: { ...process.env, NODE_ENV: 'production' },
    timeout: 300_000,
  });
  const files = JSON.parse(text) as readonly (readonly [string, readonly string[]])[];
  return files.map(([file, names]) => ({ file, functions: names.filter(isWritten) }));
}

/** The number of functions of all files. */
export function functionsOf(path: readonly FileOnPath[]): number {
  return path.reduce((sum, { functions }) => sum + functions.length, 0);
}

/** Returns the page about the architecture, by its path, with the files of the event's path. */
export function pageWithEventPath(read: (path: string) => string): readonly [string, string] {
  const path = readEventPath();
  const rows = path.map(({ file, functions }) => `| \`${file}\` | ${functions.length} |`);
  const table = ['| file | functions |', '| --- | ---: |', ...rows].join('\n');
  const sentence = `The event runs through ${functionsOf(path)} functions of ${path.length} files:`;
  const text = read(page);
  if (!block.test(text)) throw new Error(`${page} has no block "event path"`);
  return [page, text.replace(block, (_, begin: string, end: string) => `${begin}\n${sentence}\n\n${table}\n${end}`)];
}

/** False for the functions that the compiler adds. */
function isWritten(name: string): boolean {
  return name !== '__name' && name !== '<instance_members_initializer>';
}
