import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import ts from 'typescript';
import { projectRoot } from '../project/entry-points.js';
import { compilerOptions } from '../shape/surface.js';
import { examplesOfMarkdown, examplesOfSource, type Example } from './examples.js';
import { declarationsFor, exportedNames, unresolvedNames } from './names.js';

/** Folders with packages that examples import and that the root does not have. */
const packageFolders = ['test/react', 'test/frameworks'];

/** The compiler options for examples, which may have unused names. */
export const exampleOptions: ts.CompilerOptions = {
  ...compilerOptions(),
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
  const exported = exportedNames(exampleOptions);
  const unresolved = unresolvedNames([...modules.keys()], exampleOptions);
  write((file) => declarationsFor(unresolved.get(file) ?? [], exported));
  return modules;
}

/** Returns a host that also looks up modules in `packageFolders`. */
export function hostWithHouses(options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  const cache = ts.createModuleResolutionCache(projectRoot, (path) => host.getCanonicalFileName(path), options);
  host.resolveModuleNameLiterals = (literals, file, redirected, _options, source) =>
    literals.map((literal) => {
      const mode = ts.getModeForUsageLocation(source, literal, options);
      const resolveFrom = (from: string): ts.ResolvedModuleWithFailedLookupLocations =>
        ts.resolveModuleName(literal.text, from, options, host, cache, redirected, mode);
      const resolved = resolveFrom(file);
      if (resolved.resolvedModule !== undefined || literal.text.startsWith('.')) return resolved;
      const otherResolvers = packageFolders.map((path) => resolveFrom(`${projectRoot}${path}/example.ts`));
      return otherResolvers.find(({ resolvedModule }) => resolvedModule !== undefined) ?? resolved;
    });
  return host;
}

/** Returns a line that says where in the documentation a problem of a module is. */
export function describeProblem(
  { file, line, indent }: Example,
  source: ts.SourceFile,
  { start = 0, messageText }: Pick<ts.Diagnostic, 'start' | 'messageText'>,
): string {
  const position = source.getLineAndCharacterOfPosition(start);
  const message = ts.flattenDiagnosticMessageText(messageText, '\n  ');
  return `${file}:${line + position.line - 1}:${indent + position.character + 1} ${message}`;
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
