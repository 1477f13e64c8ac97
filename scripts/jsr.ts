import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { entryPoints, projectRoot } from './project/entry-points.js';

/*
 * Publishes the TypeScript sources to jsr.io, from a copy in a temporary folder, with the entry
 * points and versions of package.json. JSR refuses public names without explicit types, so the dry
 * run is also a check.
 *
 *   npm run task -- jsr --dry-run
 */
const deno = 'deno@2.9.6';
const { version, license, dependencies, devDependencies, peerDependencies } = JSON.parse(
  readFileSync(join(projectRoot, 'package.json'), 'utf8'),
) as Record<'version' | 'license', string> &
  Record<'dependencies' | 'devDependencies' | 'peerDependencies', Readonly<Record<string, string>>>;

// A specifier of JSR cannot hold a range such as `>=18`, so peers are named in the version that the
// tests use.
const packages = Object.keys({ ...dependencies, ...peerDependencies });
const folder = mkdtempSync(join(tmpdir(), 'rx-informers-jsr-'));
try {
  for (const path of ['src', 'README.md', 'LICENSE'])
    cpSync(join(projectRoot, path), join(folder, path), { recursive: true });
  writeFileSync(
    join(folder, 'deno.json'),
    JSON.stringify({
      name: '@rx-informers/rx-informers',
      version,
      license,
      exports: Object.fromEntries(
        entryPoints.map(({ specifier, source }) => [specifier.replace('rx-informers', '.'), `./${source}`]),
      ),
      imports: Object.fromEntries(
        packages.map((name) => [name, `npm:${name}@${devDependencies[name] ?? dependencies[name]}`]),
      ),
      // The sources import `./file.js`, as Node's resolution requires. JSR rewrites such imports to
      // `./file.ts`.
      unstable: ['sloppy-imports'],
      publish: { exclude: ['src/sources/wire/assembly'] },
    }),
  );
  // The types are checked by `npm run typecheck`. Deno's own declarations of WebAssembly differ
  // from those of TypeScript.
  const options = ['--allow-dirty', '--no-check', ...process.argv.slice(2)];
  execFileSync('npx', ['--yes', deno, 'publish', ...options], { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
