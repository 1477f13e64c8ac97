import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { GuideProject } from './guide-project.js';

/** A folder with the files of an image's working directory. */
export interface Image {
  readonly folder: string;
  readonly command: readonly string[];
  readonly user: number;
  /** The folder of the Node version that the image is based on. */
  readonly nodeFolder: string;
}

/**
 * Builds an image without Docker. It carries out the instructions of a project's Dockerfile in a
 * folder beside the project, with the Node version of the base image. Throws for an unknown
 * instruction.
 */
export function buildImage(project: GuideProject): Image {
  const folder = join(dirname(project.folder), 'image');
  const image: { -readonly [Key in keyof Image]: Image[Key] } = { folder, command: [], user: 0, nodeFolder: '' };
  mkdirSync(folder);
  for (const line of project.read('Dockerfile').split('\n')) {
    const [, instruction = '', rest = ''] = /^(\w+) (.+)$/.exec(line) ?? [];
    if (instruction === 'FROM') image.nodeFolder = installNode(/^node:(\d+)/.exec(rest)?.[1] ?? '', folder);
    else if (instruction === 'COPY') copy(rest.split(' '), project.folder, folder);
    else if (instruction === 'RUN') run(rest, folder, image.nodeFolder);
    else if (instruction === 'USER') image.user = Number(rest);
    else if (instruction === 'CMD') image.command = JSON.parse(rest) as readonly string[];
    else if (instruction !== 'WORKDIR' && !/^(#|$)/.test(line)) throw new Error(`cannot carry out: ${line}`);
  }
  // The user of the image must be able to read this folder.
  execFileSync('chmod', ['-R', 'a+rX', dirname(folder)]);
  return image;
}

/** Installs the package `node`, whose install script downloads the program for this machine. */
function installNode(version: string, folder: string): string {
  const prefix = join(dirname(folder), `node-${version}`);
  mkdirSync(prefix);
  writeFileSync(join(prefix, 'package.json'), JSON.stringify({ private: true, allowScripts: { node: true } }));
  execFileSync('npm', [
    'install',
    '--prefix',
    prefix,
    '--no-audit',
    '--no-fund',
    '--loglevel',
    'error',
    `node@${version}`,
  ]);
  const nodeFolder = join(prefix, 'node_modules/node/bin');
  chmodSync(join(nodeFolder, 'node'), 0o755);
  return nodeFolder;
}

function copy(parts: readonly string[], from: string, to: string): void {
  const [destination = '', ...sources] = parts.toReversed();
  execFileSync('sh', ['-c', `cp ${sources.join(' ')} '${join(to, destination)}'`], { cwd: from });
}

function run(command: string, cwd: string, nodeFolder: string): void {
  const environment = { ...process.env, PATH: `${nodeFolder}:${process.env['PATH']}` };
  execFileSync('sh', ['-c', command], { cwd, env: environment, stdio: ['ignore', 'ignore', 'inherit'] });
}
