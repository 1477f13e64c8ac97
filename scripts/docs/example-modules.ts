import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { projectRoot } from '../project/entry-points.js';
import { compile } from '../project/native-compiler.mjs';
import { compilerOptions } from '../shape/surface.js';
import { examplesOfMarkdown, examplesOfSource, type Example } from './examples.js';
import { declarationsFor, exportedNames, unresolvedNames } from './names.js';

/** Folders with packages that examples import and that the root does not have. */
const packageFolders = ['test/react', 'test/frameworks'];

/** The compiler options for examples, which may have unused names. */
const exampleOptions = {
  types: ['node'],
  allowImportingTsExtensions: true,
  isolatedModules: false,
  verbatimModuleSyntax: false,
  noUnusedLocals: false,
  noUnusedParameters: false,
};

/** Returns every `@example` in src and every ```ts and ```tsx block of the documentation. */
export function allExamples(): readonly Example[] {
  return [
    ...filesIn('src', '.ts').flatMap((file) => examplesOfSource(file, read(file))),
    ...[...markdownOfProject(), ...pagesOfDocs()].flatMap((file) => examplesOfMarkdown(file, read(file))),
  ];
}

/**
 * Writes each example as a module of its own into an empty folder, and returns the examples by the
 * paths of their modules. If the first line of a block names a file, the module gets that name, so
 * that the other blocks of the page can import it.
 *
 * The first line of a module declares the names that the example uses. So line n of an example is
 * line n + 1 of its module.
 */
export function writeModules(examples: readonly Example[], folder: string): ReadonlyMap<string, Example> {
  const modules = new Map(examples.map((example, index) => [`${folder}/${moduleName(example, index)}`, example]));
  const write = (declarations: (file: string) => string): void => {
    for (const [file, { code }] of modules) writeFileSync(file, `export {}; ${declarations(file)}\n${code}\n`);
  };
  rmSync(folder, { recursive: true, force: true });
  for (const file of modules.keys()) mkdirSync(dirname(file), { recursive: true });
  write(() => '');
  const options = { ...compilerOptions(), ...exampleOptions };
  const exported = exportedNames(options);
  const unresolved = unresolvedNames([...modules.keys()], options);
  write((file) => declarationsFor(unresolved.get(file) ?? [], exported));
  return modules;
}

/**
 * Compiles the modules of examples and returns the problems, each with its place in the
 * documentation.
 *
 * @param modules the examples by the paths of their modules
 * @param folder the folder of the modules
 * @param options compiler options in addition to those of all examples
 */
export function compileModules(
  modules: ReadonlyMap<string, Example>,
  folder: string,
  options: Readonly<Record<string, unknown>> = {},
): readonly Problem[] {
  linkPackages(`${folder}/node_modules`);
  const config = {
    extends: `${projectRoot}tsconfig.json`,
    compilerOptions: { ...exampleOptions, ...options },
    files: [...modules.keys()],
    include: [],
  };
  writeFileSync(`${folder}/tsconfig.json`, JSON.stringify(config));
  const { status, output } = compile(`${folder}/tsconfig.json`, ['--pretty', 'false']);
  // A line that begins with spaces continues the message of the line before.
  const problems = output.split(/\n(?! )/).filter((text) => text !== '');
  if (status !== 0 && problems.length === 0) throw new Error(`the compiler ended with ${status}`);
  return problems.map((text) => {
    const [, path = '', line = '', column = '', code = '', message = ''] =
      /^(.*)\((\d+),(\d+)\): error (TS\d+): ([^]*)$/.exec(text) ?? [];
    const example = modules.get(projectRoot + path);
    return { code, text: example ? describeProblem(example, Number(line), Number(column), message) : text };
  });
}

interface Problem {
  /** The code of the compiler, for example `TS2742`. */
  readonly code: string;
  readonly text: string;
}

/**
 * Returns a line that says where in the documentation a problem of a module is.
 *
 * @param line the line in the module, counted from 1, as the column is
 */
export function describeProblem(
  { file, line: first, indent }: Example,
  line: number,
  column: number,
  message: string,
): string {
  return `${file}:${first + line - 2}:${indent + column} ${message}`;
}

/** Links the packages of `packageFolders` that the root does not have. */
function linkPackages(folder: string): void {
  const has = (name: string): boolean =>
    existsSync(`${folder}/${name}`) || existsSync(`${projectRoot}node_modules/${name}`);
  for (const from of packageFolders.map((path) => `${projectRoot}${path}/node_modules`)) {
    for (const name of packagesIn(from).filter((each) => !has(each))) {
      mkdirSync(dirname(`${folder}/${name}`), { recursive: true });
      symlinkSync(`${from}/${name}`, `${folder}/${name}`, 'junction');
    }
  }
}

function packagesIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) =>
      name.startsWith('@') ? readdirSync(`${folder}/${name}`).map((each) => `${name}/${each}`) : name,
    );
}

function moduleName({ file, line, isTsx, name }: Example, index: number): string {
  if (name !== undefined) return `${file.replaceAll('/', '-').replace(/\.md$/, '')}/${name}`;
  return `${String(index).padStart(3, '0')}-${file.replaceAll('/', '-').replace(/\.\w+$/, '')}-${line}.${isTsx ? 'tsx' : 'ts'}`;
}

export function markdownOfProject(): readonly string[] {
  return readdirSync(projectRoot).filter((path) => path.endsWith('.md'));
}

/** Returns the pages of docs without the API reference, which repeats the examples of src. */
function pagesOfDocs(): readonly string[] {
  return filesIn('docs', '.md').filter((path) => !path.startsWith('docs/reference/api/'));
}

export function filesIn(directory: string, extension: string): readonly string[] {
  return readdirSync(projectRoot + directory, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(extension) && !/(^|\/)node_modules\//.test(path))
    .map((path) => `${directory}/${path}`)
    .sort();
}

function read(file: string): string {
  return readFileSync(projectRoot + file, 'utf8');
}
