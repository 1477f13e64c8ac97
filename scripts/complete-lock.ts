import { readFileSync, writeFileSync } from 'node:fs';
import { projectRoot } from './project/entry-points.js';

/*
 * Adds the packages of missing platforms to package-lock.json. A native package has one optional
 * package for each platform. If a registry does not hold all of these, npm leaves the missing ones
 * out of package-lock.json, and `npm ci` then refuses the file on every machine. The script finds
 * name and version in the package that depends on them, and the platform in the name. The argument
 * is the folder of the lock file (default: this project).
 */
interface LockedPackage {
  readonly version?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly dev?: boolean;
}

const [folder = '.'] = process.argv.slice(2);
const file = `${projectRoot}${folder}/package-lock.json`;
const lock = JSON.parse(readFileSync(file, 'utf8')) as { readonly packages: Readonly<Record<string, LockedPackage>> };

const missing = Object.entries(lock.packages)
  .filter(([path]) => path !== '')
  .flatMap(([path, { dev, optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies)
      .filter(([name]) => !(`node_modules/${name}` in lock.packages || `${path}/node_modules/${name}` in lock.packages))
      .map(([name, version]) => [`node_modules/${name}`, lockedPackage(name, version, dev)] as const),
  );

const packages = Object.fromEntries(
  [...Object.entries(lock.packages), ...missing].sort(([a], [b]) => a.localeCompare(b, 'en')),
);
writeFileSync(file, `${JSON.stringify({ ...lock, packages }, null, 2)}\n`);
console.log(`${missing.length} packages added`);

function lockedPackage(name: string, version: string, dev: boolean | undefined): LockedPackage {
  const platform = /(android|darwin|freebsd|linux|netbsd|openbsd|openharmony|win32)-([a-z0-9]+)(?:-([a-z]+))?$/.exec(
    name,
  );
  if (platform === null || !/^\d/.test(version))
    throw new Error(`${name}@${version} does not name its platform and version`);
  const [, os = '', cpu = '', abi = ''] = platform;
  const libc = abi.includes('musl') ? 'musl' : 'glibc';
  return {
    version,
    cpu: [cpu],
    ...(dev === undefined ? {} : { dev }),
    ...(os === 'linux' ? { libc: [libc] } : {}),
    optional: true,
    os: [os],
  } as LockedPackage;
}
