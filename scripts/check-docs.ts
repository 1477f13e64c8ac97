import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import ts from 'typescript';
import { assistantFiles } from './docs/assistants.js';
import { differencesOfCookbook } from './docs/cookbook.js';
import { undocumentedNames } from './docs/documented.js';
import {
  allExamples,
  compileModules,
  describeProblem,
  filesIn,
  markdownOfProject,
  writeModules,
} from './docs/example-modules.js';
import { generatedPages } from './docs/generated-pages.js';
import { pagesWithImports } from './docs/imports.js';
import { namesWithoutNamespace } from './docs/names.js';
import { missingPaths } from './docs/paths.js';
import { withPlaygroundLink } from './docs/playground-link.js';
import { undefinedRules } from './docs/rules.js';
import { pageWithEventPath } from './event-path/read-event-path.js';
import { entryPoints, projectRoot } from './project/entry-points.js';
import { readSurface } from './shape/surface.js';

/*
 * Type-checks every `@example` in src and every ```ts and ```tsx block of the documentation against
 * the public entry points. Each block becomes a module of its own in temp/docs.
 *
 * Before that, the script compares the pages and the texts for assistants with the doc comments
 * and pages that they are generated from. With --update it writes them instead. It also reports
 * public names that no page mentions, rule ids that are cited but not defined, and files that
 * the page about the architecture names but that do not exist. At the end, it runs the programs
 * of the cookbook and compares what they print with their pages.
 */

const update = process.argv.includes('--update');
const entriesPage = 'docs/reference/entry-points.md';

const surface = readSurface();
const outdated: string[] = [];
compareOrWrite(generatedPages(surface), 'what it is generated from');
compareOrWrite(pagesWithImports(surface), 'the entry points that export their names');
compareOrWrite(new Map([pageWithEventPath(read)]), 'the way of an event, as V8 counts it');
// These files are made from pages, so the pages come first.
compareOrWrite(assistantFiles(), 'the pages of docs');
compareOrWrite(
  new Map([['README.md', withPlaygroundLink(read('README.md'))]]),
  'its first program, which its link opens',
);

const folder = `${projectRoot}temp/docs`;
const modules = writeModules(allExamples(), folder);
const problemsOfExamples = [
  ...compileModules(modules, folder).map(({ text }) => text),
  ...[...modules].flatMap(([file, example]) => {
    const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
    return namesWithoutNamespace(source).map(({ name }) => {
      const { line, character } = source.getLineAndCharacterOfPosition(name.getStart(source));
      const message = `${name.text} needs its namespace: import * as derived`;
      return describeProblem(example, line + 1, character + 1, message);
    });
  }),
];

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
  ...entryPoints
    .filter(({ specifier }) => !read(entriesPage).includes(`| \`${specifier}\` |`))
    .map(({ specifier }) => `${entriesPage} does not list ${specifier}`),
  ...undefinedRules(files),
  ...missingPaths(),
  ...problemsOfExamples,
  ...(await differencesOfCookbook(modules)),
];
for (const problem of problems) console.error(problem);
console.log(`${modules.size} examples, ${problems.length} problems`);
// The programs of the cookbook have open watches, which would keep the process alive.
process.exit(problems.length > 0 ? 1 : 0);

function compareOrWrite(files: ReadonlyMap<string, string>, sources: string): void {
  for (const [path, text] of files) {
    if (existsSync(projectRoot + path) && read(path) === text) continue;
    if (update) {
      mkdirSync(dirname(projectRoot + path), { recursive: true });
      writeFileSync(projectRoot + path, text);
    } else outdated.push(`${path} differs from ${sources}: run npm run docs:update`);
  }
}

function read(file: string): string {
  return readFileSync(projectRoot + file, 'utf8');
}
