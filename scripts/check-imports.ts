import { build, type Metafile } from 'esbuild';
import { entryPoints, projectRoot } from './entry-points.js';

/*
 * Follows the imports from the entry points, whichever folders they lead through, and holds them to two rules: what
 * src/index.ts reaches runs in a browser, and src/node.ts works without any optional peer, so they import nothing but these
 * packages; and no file imports itself on some way (imports of types do not count).
 */
const allowed: Readonly<Record<string, RegExp>> = { 'src/index.ts': /^rxjs$/, 'src/node.ts': /^(rxjs$|node:)/ };

const all = await importsFrom(entryPoints.map(({ source }) => source));
const problems = [
  ...(await Promise.all(Object.entries(allowed).map(forbiddenImports))).flat(),
  ...cycles(all).map((cycle) => `a cycle: ${cycle.join(' → ')}`),
];
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

function cycles(inputs: Metafile['inputs']): readonly (readonly string[])[] {
  const found: string[][] = [];
  const done = new Set<string>();
  const visit = (file: string, way: readonly string[]): void => {
    if (way.includes(file)) found.push([...way.slice(way.indexOf(file)), file]);
    if (done.has(file) || way.includes(file)) return;
    for (const { path, external } of inputs[file]?.imports ?? []) if (external !== true) visit(path, [...way, file]);
    done.add(file);
  };
  for (const file of Object.keys(inputs)) visit(file, []);
  return found;
}
