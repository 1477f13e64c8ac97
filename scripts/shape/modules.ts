import { readdirSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import ts from 'typescript';
import { commandSource, entryPoints, projectRoot } from '../project/entry-points.js';
import { roomsOutOfReach } from '../project/rooms.js';

/** One file of src, scripts or bench. */
export interface Module {
  /** The path relative to the project, for example `src/store/delta.ts`. */
  readonly path: string;
  readonly lines: number;
  /** The modules that the file imports, types included: paths, or names of packages. */
  readonly imports: readonly string[];
  readonly isEntry: boolean;
}

/** The folders whose files are read, in order: a file imports from none of the later folders. */
const folders = ['src', 'scripts', 'bench'];

/** Reads every file of src, scripts and bench, except tests and the program in AssemblyScript. */
export function readModules(): readonly Module[] {
  const files = folders.flatMap((folder) =>
    readdirSync(projectRoot + folder, { recursive: true, encoding: 'utf8' })
      .map((file) => `${folder}/${file}`)
      .filter((path) => /\.(ts|tsx|js|mjs)$/.test(path) && !/\/(node_modules|test|assembly)\/|\.config\.js$/.test(path))
      .sort(),
  );
  const known = new Set(files);
  return files.map((path) => {
    const text = readFileSync(projectRoot + path, 'utf8');
    return {
      path,
      lines: text.split('\n').length - 1,
      imports: importsOf(path, text, known),
      isEntry: path === commandSource || entryPoints.some(({ source }) => source === path),
    };
  });
}

/**
 * Returns how many files import each file. Imports by entry points do not count, because a public
 * file is not necessarily used.
 */
export function importersOf(modules: readonly Module[]): ReadonlyMap<string, number> {
  const counts = new Map(modules.map(({ path }) => [path, 0]));
  for (const { imports, isEntry } of modules) {
    if (isEntry) continue;
    for (const path of imports) counts.set(path, (counts.get(path) ?? 0) + 1);
  }
  return counts;
}

/**
 * Returns the circles of imports, types included: groups of files that reach each other, found by
 * Tarjan's algorithm.
 */
export function circlesOf(modules: readonly Module[]): readonly (readonly string[])[] {
  const imports = new Map(modules.map((module) => [module.path, module.imports]));
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];
  const visit = (path: string): void => {
    const index = order.size;
    order.set(path, index);
    lowest.set(path, index);
    open.push(path);
    for (const next of imports.get(path) ?? []) {
      if (!imports.has(next)) continue;
      if (!order.has(next)) visit(next);
      if (open.includes(next)) lowest.set(path, Math.min(lowest.get(path) ?? index, lowest.get(next) ?? index));
    }
    if (lowest.get(path) !== index) return;
    const circle = open.splice(open.indexOf(path));
    if (circle.length > 1 || imports.get(path)?.includes(path) === true) circles.push(circle);
  };
  for (const { path } of modules) if (!order.has(path)) visit(path);
  return circles;
}

/**
 * Returns the imports against the order: from a room of src that is out of reach (see `rooms.js`),
 * or from a later folder.
 */
export function importsUpwards(modules: readonly Module[]): readonly string[] {
  const isUpwards = (from: string, to: string): boolean => {
    const [folder = '', room = ''] = from.split('/');
    const [otherFolder = '', otherRoom = ''] = to.split('/');
    if (folder !== otherFolder) return folders.indexOf(otherFolder) > folders.indexOf(folder);
    // A file of src without a room is an entry point.
    return folder === 'src' && !room.endsWith('.ts') && roomsOutOfReach(room).includes(otherRoom);
  };
  return modules.flatMap(({ path, imports }) =>
    imports.filter((imported) => isUpwards(path, imported)).map((imported) => `${path} → ${imported}`),
  );
}

/**
 * Returns the pairs of folders that import each other. Entry points do not count, because they only
 * list what others declare.
 */
export function mutualFolders(modules: readonly Module[]): readonly string[] {
  const known = new Set(modules.map(({ path }) => path));
  const arrows = new Set(
    modules.flatMap(({ path, imports, isEntry }) =>
      isEntry ? [] : imports.filter((each) => known.has(each)).map((each) => `${dirname(path)} ⇄ ${dirname(each)}`),
    ),
  );
  return [...arrows].filter((arrow) => {
    const [from = '', to = ''] = arrow.split(' ⇄ ');
    return from < to && arrows.has(`${to} ⇄ ${from}`);
  });
}

function importsOf(path: string, text: string, known: ReadonlySet<string>): readonly string[] {
  const specifiers = ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
  return [
    ...new Set(
      specifiers.map((specifier) => (specifier.startsWith('.') ? resolved(path, specifier, known) : specifier)),
    ),
  ];
}

function resolved(path: string, specifier: string, known: ReadonlySet<string>): string {
  const base = relative(projectRoot, resolve(projectRoot, dirname(path), specifier)).replace(/\.js$/, '');
  return [`${base}.ts`, `${base}.tsx`, `${base}.js`, base].find((candidate) => known.has(candidate)) ?? base;
}
