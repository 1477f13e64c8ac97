import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * One public entry point of the package. It is read from `exports` in package.json, the only place
 * that lists the entry points.
 */
export interface EntryPoint {
  /** The name of its files in `dist` and `etc`, for example `index` or `testing-in-memory`. */
  readonly name: string;
  /** The specifier that users import, for example `rx-informers/testing`. */
  readonly specifier: string;
  /** The path of its source, relative to the project, for example `src/testing/index.ts`. */
  readonly source: string;
}

interface PackageJson {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

export const projectRoot = fileURLToPath(new URL('../..', import.meta.url));

export const packageJson = JSON.parse(readFileSync(`${projectRoot}package.json`, 'utf8')) as PackageJson;

/** The source of the command `rx-informers`. */
export const commandSource = 'src/types/command.ts';

export const entryPoints: readonly EntryPoint[] = Object.keys(packageJson.exports)
  .filter((subpath) => subpath !== './package.json')
  .map((subpath) => {
    const path = subpath === '.' ? 'index' : subpath.slice('./'.length);
    return {
      name: path.replaceAll('/', '-'),
      specifier: subpath === '.' ? packageJson.name : `${packageJson.name}/${path}`,
      source: sourceOf(path),
    };
  });

function sourceOf(path: string): string {
  const candidates = [`src/${path}.ts`, `src/${path}/index.ts`];
  const source = candidates.find((candidate) => existsSync(projectRoot + candidate));
  if (source === undefined) throw new Error(`package.json exports ${path}, but there is no ${candidates.join(' or ')}`);
  return source;
}
