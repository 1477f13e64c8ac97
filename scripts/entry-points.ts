import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** One public entry point of the package, read from `exports` in package.json: the one place that lists them. */
export interface EntryPoint {
  /** The name of its files in `dist` and `etc`, for example `index` or `testing`. */
  readonly name: string;
  /** What users import, for example `rx-informers/testing`. */
  readonly specifier: string;
  /** Its source relative to the project, for example `src/testing/index.ts`. */
  readonly source: string;
}

interface PackageJson {
  readonly name: string;
  readonly version: string;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

export const projectRoot = fileURLToPath(new URL('..', import.meta.url));

export const packageJson = JSON.parse(readFileSync(`${projectRoot}package.json`, 'utf8')) as PackageJson;

export const entryPoints: readonly EntryPoint[] = Object.keys(packageJson.exports)
  .filter((subpath) => subpath !== './package.json')
  .map((subpath) => {
    const name = subpath === '.' ? 'index' : subpath.slice('./'.length);
    return {
      name,
      specifier: subpath === '.' ? packageJson.name : `${packageJson.name}/${name}`,
      source: sourceOf(name),
    };
  });

function sourceOf(name: string): string {
  const candidates = [`src/${name}.ts`, `src/${name}/index.ts`];
  const source = candidates.find((path) => existsSync(projectRoot + path));
  if (source === undefined) throw new Error(`package.json exports ${name}, but there is no ${candidates.join(' or ')}`);
  return source;
}
