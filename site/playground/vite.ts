import type { UserConfig } from 'vitepress';
import { bundleSandbox, type SandboxBundle } from './bundle.js';

type Plugins = NonNullable<NonNullable<UserConfig['vite']>['plugins']>;

const prefix = 'virtual:playground/';

/**
 * Returns the plugin that serves the modules of the sandbox as texts. Each part is in a chunk of
 * its own.
 */
export function playgroundVite(): Plugins {
  let bundled: Promise<SandboxBundle> | undefined;
  return [
    {
      name: 'playground',
      resolveId: (id) => (id.startsWith(prefix) ? `\0${id}` : undefined),
      async load(id) {
        if (!id.startsWith(`\0${prefix}`)) return undefined;
        const name = id.slice(prefix.length + 1);
        const { base, extras } = await (bundled ??= bundleSandbox());
        if (name === 'library') return library(extras);
        const modules = name === 'base' ? base : extras.find(({ module }) => module === name)?.modules;
        return `export default ${JSON.stringify(modules)};`;
      },
    },
  ];
}

function library(extras: SandboxBundle['extras']): string {
  const modulesOf = (name: string): string => `async () => (await import('${prefix}${name}')).default`;
  const entries = extras.map(
    ({ specifier, module, names }) =>
      `{ specifier: '${specifier}', module: '${module}', names: ${JSON.stringify(names)}, modules: ${modulesOf(module)} }`,
  );
  return `export const library = { base: ${modulesOf('base')}, extras: [${entries.join(', ')}] };`;
}
