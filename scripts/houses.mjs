import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/*
 * A house is a folder with a package-lock.json of its own. The root's `npm ci` does not install its
 * packages.
 */
const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Returns the paths of the houses in which TypeScript is checked: those with a tsconfig.json. For
 * each of them it says if its packages are installed.
 *
 * @returns {readonly { readonly path: string, readonly isInstalled: boolean }[]}
 */
export function typedHouses() {
  return housesIn('')
    .filter((path) => existsSync(`${root}${path}/tsconfig.json`))
    .map((path) => ({ path, isInstalled: existsSync(`${root}${path}/node_modules/.package-lock.json`) }));
}

function housesIn(folder) {
  return readdirSync(`${root}${folder}`, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !/^\.|^(node_modules|dist|temp|coverage)$/.test(entry.name))
    .flatMap(({ name }) => {
      const path = `${folder}${name}`;
      return [...(existsSync(`${root}${path}/package-lock.json`) ? [path] : []), ...housesIn(`${path}/`)];
    });
}
