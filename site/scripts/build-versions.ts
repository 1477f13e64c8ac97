import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { projectRoot } from '../../scripts/project/entry-points.js';
import { versionsOf } from './versions.js';

/*
 * Adds a folder for each tag of a version to the site that site.ts has built, and lists all
 * versions in versions.json. The site of a tag is built once, from the files of the tag, and kept
 * in site/.cache/versions. Tags that are older than the site are left out.
 */
const dist = `${projectRoot}site/dist`;
const cache = `${projectRoot}site/.cache/versions`;

const tags = git('tag', '--list', 'v*')
  .split('\n')
  .filter((tag) => versionsOf([tag]).length > 1 && hasSite(tag));
for (const tag of tags) {
  if (!existsSync(`${cache}/${tag}`)) build(tag);
  cpSync(`${cache}/${tag}`, `${dist}/${tag}`, { recursive: true });
}
const versions = versionsOf(tags);
writeFileSync(`${dist}/versions.json`, `${JSON.stringify(versions, null, 2)}\n`);
console.log(`versions: ${versions.map(({ name }) => name).join(', ')}`);

function build(tag: string): void {
  const folder = `${cache}/${tag}.sources`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  try {
    const archive = execFileSync('git', ['archive', tag], { cwd: projectRoot, maxBuffer: 2 ** 30 });
    execFileSync('tar', ['-x'], { cwd: folder, input: archive });
    for (const [command = '', ...parameters] of [
      ['npm', 'ci', '--no-audit', '--no-fund'],
      ['npm', 'run', 'site'],
    ])
      execFileSync(command, parameters, { cwd: folder, stdio: 'inherit', env: { ...process.env, SITE_TAG: tag } });
    renameSync(`${folder}/site/dist`, `${cache}/${tag}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function hasSite(tag: string): boolean {
  return git('ls-tree', '--name-only', tag, 'site/package.json') !== '';
}

function git(...parameters: readonly string[]): string {
  return execFileSync('git', parameters, { cwd: projectRoot, encoding: 'utf8' });
}
