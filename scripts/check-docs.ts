import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import ts from 'typescript';
import { assistantFiles } from './docs/assistants.js';
import { undocumentedNames } from './docs/documented.js';
import { examplesOfMarkdown, examplesOfSource, type Example } from './docs/examples.js';
import { generatedPages } from './docs/generated-pages.js';
import { declarationsFor, exportedNames, unresolvedNames } from './docs/names.js';
import { undefinedRules } from './docs/rules.js';
import { pageWithEventPath } from './event-path/read-event-path.js';
import { projectRoot } from './project/entry-points.js';
import { compilerOptions, readSurface } from './shape/surface.js';

/*
 * Type-checks every `@example` in src and every ```ts and ```tsx block of the documentation against
 * the public entry points. Each block becomes a module of its own in temp/docs. If the first line
 * of a block names a file, the module gets that name, so that the other blocks of the page can
 * import it.
 *
 * Before that, the script compares the pages and the texts for assistants with the doc comments and
 * pages that they are generated from. With --update it writes them instead. It also reports public
 * names that no page mentions, and rule ids that are cited but not defined.
 */

/** Folders with packages that examples import and that the root does not have. */
const packageFolders = ['test/react', 'test/frameworks'];

const update = process.argv.includes('--update');
const folder = `${projectRoot}temp/docs`;
const options: ts.CompilerOptions = {
  ...compilerOptions(),
  types: ['node'],
  allowImportingTsExtensions: true,
  isolatedModules: false,
  verbatimModuleSyntax: false,
  noUnusedLocals: false,
  noUnusedParameters: false,
};

const surface = readSurface();
const outdated: string[] = [];
compareOrWrite(generatedPages(surface), 'what it is generated from');
compareOrWrite(new Map([pageWithEventPath(read)]), 'the way of an event, as V8 counts it');
// These files are made from pages, so the pages come first.
compareOrWrite(assistantFiles(), 'the pages of docs');

const examples = [
  ...filesIn('src', '.ts').flatMap((file) => examplesOfSource(file, read(file))),
  ...[...markdownOfProject(), ...pagesOfDocs()].flatMap((file) => examplesOfMarkdown(file, read(file))),
];
const modules = new Map(examples.map((example, index) => [`${folder}/${moduleName(example, index)}`, example]));

rmSync(folder, { recursive: true, force: true });
for (const file of modules.keys()) mkdirSync(dirname(file), { recursive: true });
write(() => '');
const exported = exportedNames(options);
const unresolved = unresolvedNames([...modules.keys()], options);
write((file) => declarationsFor(unresolved.get(file) ?? [], exported));

const program = ts.createProgram({ rootNames: [...modules.keys()], options, host: hostWithHouses() });
const problemsOfExamples = [...modules].flatMap(([file, example]) => {
  const source = program.getSourceFile(file);
  if (source === undefined) return [`${file} was not read`];
  return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map((diagnostic) =>
    describe(example, source, diagnostic),
  );
});

const files = [
  ...['src', 'test', 'examples', 'apps', 'bench', 'scripts', 'site/test'].flatMap((folder) => [
    ...filesIn(folder, '.ts'),
    ...filesIn(folder, '.tsx'),
  ]),
  ...markdownOfProject(),
  ...filesIn('docs', '.md'),
];
const problems = [
  ...outdated,
  ...undocumentedNames(surface).map((name) => `${name} is on no page of the documentation`),
  ...undefinedRules(files),
  ...problemsOfExamples,
];
for (const problem of problems) console.error(problem);
console.log(`${examples.length} examples, ${problems.length} problems`);
process.exitCode = problems.length > 0 ? 1 : 0;

/** Returns a host that also looks up modules in `packageFolders`. */
function hostWithHouses(): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  const cache = ts.createModuleResolutionCache(projectRoot, (path) => host.getCanonicalFileName(path), options);
  host.resolveModuleNameLiterals = (literals, file, redirected, _options, source) =>
    literals.map((literal) => {
      const mode = ts.getModeForUsageLocation(source, literal, options);
      const resolveFrom = (from: string): ts.ResolvedModuleWithFailedLookupLocations =>
        ts.resolveModuleName(literal.text, from, options, host, cache, redirected, mode);
      const resolved = resolveFrom(file);
      if (resolved.resolvedModule !== undefined || literal.text.startsWith('.')) return resolved;
      const elsewhere = packageFolders.map((path) => resolveFrom(`${projectRoot}${path}/example.ts`));
      return elsewhere.find(({ resolvedModule }) => resolvedModule !== undefined) ?? resolved;
    });
  return host;
}

function compareOrWrite(files: ReadonlyMap<string, string>, sources: string): void {
  for (const [path, text] of files) {
    if (existsSync(projectRoot + path) && read(path) === text) continue;
    if (update) {
      mkdirSync(dirname(projectRoot + path), { recursive: true });
      writeFileSync(projectRoot + path, text);
    } else outdated.push(`${path} differs from ${sources}: run npm run docs:update`);
  }
}

/**
 * The first line declares the names that the example uses. So line n of an example is line n + 1 of
 * its module.
 */
function write(declarations: (file: string) => string): void {
  for (const [file, { code }] of modules) writeFileSync(file, `export {}; ${declarations(file)}\n${code}\n`);
}

function describe(
  { file, line, indent }: Example,
  source: ts.SourceFile,
  { start = 0, messageText }: ts.Diagnostic,
): string {
  const position = source.getLineAndCharacterOfPosition(start);
  const message = ts.flattenDiagnosticMessageText(messageText, '\n  ');
  return `${file}:${line + position.line - 1}:${indent + position.character + 1} ${message}`;
}

function moduleName({ file, line, isTsx, name }: Example, index: number): string {
  if (name !== undefined) return `${file.replaceAll('/', '-').replace(/\.md$/, '')}/${name}`;
  return `${String(index).padStart(3, '0')}-${file.replaceAll('/', '-').replace(/\.\w+$/, '')}-${line}.${isTsx ? 'tsx' : 'ts'}`;
}

function markdownOfProject(): readonly string[] {
  return readdirSync(projectRoot).filter((path) => path.endsWith('.md'));
}

/** Returns the pages of docs without the API reference, which repeats the examples of src. */
function pagesOfDocs(): readonly string[] {
  return filesIn('docs', '.md').filter((path) => !path.startsWith('docs/reference/api/'));
}

function filesIn(directory: string, extension: string): readonly string[] {
  return readdirSync(projectRoot + directory, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(extension) && !/(^|\/)node_modules\//.test(path))
    .map((path) => `${directory}/${path}`)
    .sort();
}

function read(file: string): string {
  return readFileSync(projectRoot + file, 'utf8');
}
