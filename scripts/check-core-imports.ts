import { build } from 'esbuild';
import { packageJson, projectRoot } from './entry-points.js';

/*
 * What src/index.ts reaches runs in a browser: it may import rxjs and the package's own dependencies, and nothing else.
 * ESLint says so folder by folder; this follows the imports, whichever folder they lead to.
 */
const allowed = new Set(['rxjs', ...Object.keys(packageJson.dependencies)]);

const { metafile } = await build({
  absWorkingDir: projectRoot,
  entryPoints: ['src/index.ts'],
  bundle: true,
  write: false,
  metafile: true,
  format: 'esm',
  platform: 'neutral',
  packages: 'external',
});

const forbidden = Object.entries(metafile.inputs).flatMap(([file, { imports }]) =>
  imports
    .filter(({ path, external }) => external === true && !allowed.has(packageOf(path)))
    .map(({ path }) => `${file} imports ${path}`),
);

if (forbidden.length > 0) {
  console.error(`src/index.ts reaches what a browser does not have:\n  ${forbidden.join('\n  ')}`);
  process.exitCode = 1;
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
