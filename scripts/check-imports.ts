import { build, type Metafile } from 'esbuild';
import { projectRoot } from './project/entry-points.js';

/*
 * Checks which packages the entry points reach. The modules that src/node.ts
 * reaches work without any optional peer, those that the other files below reach run in a browser,
 * and those that src/store.ts reaches are pure. So these modules import no package except those
 * below.
 */
const allowed: Readonly<Record<string, RegExp>> = {
  'src/index.ts': /^rxjs$/,
  'src/client.ts': /^rxjs$/,
  'src/store.ts': /^$/,
  'src/testing/in-memory.ts': /^rxjs$/,
  'src/node.ts': /^(rxjs$|node:)/,
};

const problems = (await Promise.all(Object.entries(allowed).map(forbiddenImports))).flat();
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;

async function importsFrom(files: readonly string[]): Promise<Metafile['inputs']> {
  const { metafile } = await build({
    absWorkingDir: projectRoot,
    entryPoints: [...files],
    outdir: 'temp',
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'neutral',
    packages: 'external',
  });
  return metafile.inputs;
}

async function forbiddenImports([entry, packages]: readonly [string, RegExp]): Promise<readonly string[]> {
  return externalImports(await importsFrom([entry]))
    .filter(({ path }) => !packages.test(path))
    .map(({ file, path }) => `${entry} reaches ${file}, which imports ${path}`);
}

function externalImports(inputs: Metafile['inputs']): readonly { readonly file: string; readonly path: string }[] {
  return Object.entries(inputs).flatMap(([file, { imports }]) =>
    imports.filter(({ external }) => external === true).map(({ path }) => ({ file, path })),
  );
}
