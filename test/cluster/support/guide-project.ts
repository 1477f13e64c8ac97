import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { stepsOf } from '../../../scripts/guide/page-steps.js';
import { pack } from '../../../scripts/pack.js';

/** The finished project of a reader who has followed a guide. */
export interface GuideProject {
  readonly folder: string;
  /** The blocks of commands for a cluster, with the output that the page states for each. */
  readonly clusterCommands: readonly { readonly commands: string; readonly output: string }[];
  /** The text of the page. */
  readonly page: string;
  read(file: string): string;
  /** Returns the documents in a YAML file. */
  manifests(file: string): readonly unknown[];
  remove(): void;
}

/**
 * Follows a guide up to its first commands, which install the packages, and then writes all files
 * of the guide. The package itself is packed from `dist`.
 */
export function createGuideProject(path: string): GuideProject {
  const parent = mkdtempSync(join(tmpdir(), 'rx-informers-guide-'));
  const tarball = basename(pack(parent));
  const page = readFileSync(path, 'utf8');
  const steps = stepsOf(page);
  const commands = steps.filter((step) => step.type === 'commands');
  const install = (commands[0]?.lines ?? []).join('\n').replace('install rx-informers ', `install ../${tarball} `);
  const output = execFileSync('sh', ['-c', `set -e\n${install}\npwd`], {
    cwd: parent,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const folder = output.trim().split('\n').at(-1) ?? '';
  for (const step of steps) {
    if (step.type !== 'file') continue;
    mkdirSync(dirname(join(folder, step.name)), { recursive: true });
    writeFileSync(join(folder, step.name), step.text);
  }
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
  return {
    folder,
    page,
    read,
    clusterCommands: commands
      .filter(({ shell }) => shell === 'bash')
      .map(({ lines, output }) => ({ commands: lines.join('\n'), output })),
    manifests: (file) => parseAllDocuments(read(file)).map((document) => document.toJS() as unknown),
    remove: () => rmSync(parent, { recursive: true, force: true }),
  };
}
