import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './project/entry-points.js';

/** The largest size of the installed package, in bytes. */
const largestPackage = 4_875_000;

/**
 * Packs the package as it would be published, from the files that `npm run build` writes. Throws if
 * the package is larger than 4.875 MB, or contains source maps.
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
  const [packed] = JSON.parse(output) as readonly Packed[];
  if (packed === undefined) throw new Error('npm pack wrote no package');
  const { filename, unpackedSize, files } = packed;
  const sourceMap = files.find(({ path }) => path.endsWith('.map'));
  if (sourceMap !== undefined) throw new Error(`the package contains the source map ${sourceMap.path}`);
  if (unpackedSize > largestPackage)
    throw new Error(`the package has ${unpackedSize} bytes, more than ${largestPackage}`);
  return join(folder, filename);
}

/** What `npm pack --json` prints about a package. */
interface Packed {
  readonly filename: string;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}
