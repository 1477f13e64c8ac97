import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './project/entry-points.js';

/**
 * Packs the package as it would be published, from the files that `npm run build` writes.
 *
 * @param folder the folder into which the tarball is written
 * @returns the path of the tarball
 */
export function pack(folder: string): string {
  if (!existsSync(join(projectRoot, 'dist/node.js')))
    throw new Error('there is no package to pack; run npm run build first');
  const output = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: projectRoot,
    encoding: 'utf8',
  });
  const [packed] = JSON.parse(output) as readonly { readonly filename: string }[];
  return join(folder, packed?.filename ?? '');
}
