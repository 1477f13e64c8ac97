import { build } from 'esbuild';
import { fileURLToPath } from 'node:url';

/*
 * Bundles the server into `dist-server`, with the sources of the library, so that the package of
 * the dashboard needs no second tarball. Other packages are not part of the bundle.
 */
const dashboard = fileURLToPath(new URL('..', import.meta.url));
const library = fileURLToPath(new URL('../../../src', import.meta.url));

await build({
  absWorkingDir: dashboard,
  entryPoints: ['server/command.ts'],
  outdir: 'dist-server',
  bundle: true,
  splitting: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  packages: 'external',
  // Otherwise the paths of the project's tsconfig.json lead to the sources of the packages.
  tsconfigRaw: { compilerOptions: { target: 'es2022' } },
  alias: {
    'rx-informers': `${library}/index.ts`,
    'rx-informers/client': `${library}/client.ts`,
    'rx-informers/derived': `${library}/derived/index.ts`,
    'rx-informers/hub': `${library}/hub/index.ts`,
    'rx-informers/node': `${library}/node.ts`,
    'rx-informers/requests': `${library}/requests/index.ts`,
    'rx-informers/store': `${library}/store.ts`,
    'rx-informers/testing': `${library}/testing/index.ts`,
  },
  banner: { js: '#!/usr/bin/env node' },
});
