import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { arch, cpus, release, totalmem, type } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Circumstances, Machine } from './measurement.js';

const projectRoot = fileURLToPath(new URL('../..', import.meta.url));
const LIBRARIES = ['@kubernetes/client-node', 'rxjs', 'immer', 'p-queue', '@tanstack/db'];
/** The files that the figures depend on. The code of the report and the tests are left out. */
const MEASURED_FILES = ['src', 'bench', 'scripts/slope.ts', 'package-lock.json', ':!bench/report', ':!bench/test'];

/** Returns the circumstances that are the same for all measurements of one run. */
export function circumstancesNow(): Omit<Circumstances, 'scale' | 'rounds'> {
  const commit = currentCommit();
  return {
    date: new Date().toISOString().slice(0, 'yyyy-mm-dd'.length),
    ...(commit === undefined ? {} : { commit }),
    machine: thisMachine(),
    libraries: Object.fromEntries(LIBRARIES.map((library) => [library, versionOf(library)])),
  };
}

function currentCommit(): string | undefined {
  try {
    const commit = git('rev-parse', '--short=12', 'HEAD');
    return git('status', '--porcelain', '--', ...MEASURED_FILES) === '' ? commit : `${commit}+`;
  } catch {
    return undefined;
  }
}

function git(...parameters: readonly string[]): string {
  return execFileSync('git', parameters, { cwd: projectRoot, encoding: 'utf8', stdio: 'pipe' }).trim();
}

function versionOf(library: string): string {
  const candidates = ['bench/', ''].map((folder) => `${projectRoot}${folder}node_modules/${library}/package.json`);
  const path = candidates.find((candidate) => existsSync(candidate));
  if (path === undefined) throw new Error(`${library} is not installed`);
  return (JSON.parse(readFileSync(path, 'utf8')) as { readonly version: string }).version;
}

function thisMachine(): Machine {
  const processors = cpus();
  return {
    processor: processors[0]?.model.trim() || 'unknown processor',
    cores: processors.length,
    memoryGigabytes: Math.round(totalmem() / 1024 ** 3),
    operatingSystem: `${type()} ${release()} ${arch()}`,
    node: process.version,
  };
}
