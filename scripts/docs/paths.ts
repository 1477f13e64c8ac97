import { readdirSync, readFileSync } from 'node:fs';
import { projectRoot } from '../project/entry-points.js';

const page = 'docs/contributing/architecture.md';
const folders = ['src', 'test', 'scripts', 'bench', 'docs'];

/**
 * Returns the files, folders and names that the page about the architecture writes as code, and
 * that do not exist. A path may begin at any folder; a name must occur in `src`.
 */
export function missingPaths(): readonly string[] {
  const paths = folders.flatMap((folder) =>
    readdirSync(projectRoot + folder, { recursive: true, withFileTypes: true })
      .filter(({ parentPath }) => !parentPath.includes('node_modules'))
      .map((entry) => {
        const path = `/${entry.parentPath.slice(projectRoot.length)}/${entry.name}`;
        return entry.isDirectory() ? `${path}/` : path;
      }),
  );
  const source = paths
    .filter((path) => /^\/src\/.*\.tsx?$/.test(path))
    .map((path) => readFileSync(projectRoot + path, 'utf8'))
    .join('\n');
  const exists = (code: string): boolean => {
    if (/^[\w./-]+(\.(ts|tsx|js|mjs|md)|\/)$/.test(code)) return paths.some((path) => path.endsWith(`/${code}`));
    return !/^[a-z]+[A-Z]\w*\$?$/.test(code) || source.includes(code);
  };
  const text = readFileSync(projectRoot + page, 'utf8');
  const spans = new Set(Array.from(text.matchAll(/`([^`\n]+)`/g), ([, code = '']) => code));
  return [...spans].filter((code) => !exists(code)).map((code) => `${page} names \`${code}\`, which does not exist`);
}
