import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { posix } from 'node:path';
import {
  Application,
  Comment,
  Converter,
  DeclarationReflection,
  PageEvent,
  Reflection,
  ReflectionKind,
  RendererEvent,
  type Context,
  type ProjectReflection,
  type ReferenceReflection,
} from 'typedoc';
import { entryPoints, projectRoot } from '../../scripts/project/entry-points.js';
import { exportGroups } from './export-groups.js';

/** The folder of the generated pages. It is a folder of docs that git ignores. */
export const apiFolder = `${projectRoot}docs/reference/api`;

const repository = 'https://github.com/rx-informers/rx-informers';

/**
 * An entry point with more names than this is split into several pages, one for each folder of src
 * that declares some of the names.
 */
const namesOnOnePage = 60;

/**
 * A page with more names, members and parameters than this is split into several pages, one for
 * each file of src that declares some of the names. Each name, member or parameter takes 600 to 900
 * bytes of HTML.
 */
const partsOnOnePage = 290;

/**
 * Writes the reference of every public name: an index, and pages grouped by entry point. Throws if
 * a `{@link}` does not resolve.
 */
export async function writeApiReference(): Promise<void> {
  rmSync(apiFolder, { recursive: true, force: true });
  const app = await Application.bootstrapWithPlugins({
    entryPoints: entryPoints.map(({ source }) => projectRoot + source),
    tsconfig: `${projectRoot}tsconfig.json`,
    compilerOptions: { types: ['node'] },
    plugin: ['typedoc-plugin-markdown'],
    out: apiFolder,
    name: 'rx-informers',
    readme: 'none',
    logLevel: 'Warn',
    // `npm run typecheck` reports the errors that are skipped here.
    skipErrorChecking: true,
    excludeInternal: true,
    excludePrivate: true,
    excludeExternals: true,
    sort: ['alphabetical'],
    groupOrder: ['Functions', 'Variables', 'Namespaces', 'Classes', 'Interfaces', 'Type Aliases'],
    validation: { notExported: false, invalidLink: true, invalidPath: true, rewrittenLink: true, notDocumented: false },
    disableGit: true,
    basePath: projectRoot,
    sourceLinkTemplate: `${repository}/blob/main/src/{path}#L{line}`,
    externalSymbolLinkMappings: {
      rxjs: {
        Observable: 'https://rxjs.dev/api/index/class/Observable',
        Subscription: 'https://rxjs.dev/api/index/class/Subscription',
        '*': 'https://rxjs.dev/api',
      },
    },
    ...markdownOptions,
  });
  const reExports = new Map<string, Names>();
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, (context) => takeReExports(context, reExports), 2000);
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, splitLargeEntries, 1000);
  app.converter.on(Converter.EVENT_RESOLVE_END, removeInheritedFromErrors, -1000);
  app.converter.on(Converter.EVENT_RESOLVE_END, resolveLinksByName, -1000);
  const urlOf: UrlOf = (target) => app.renderer.router?.getFullUrl(target) ?? '';
  app.renderer.on(PageEvent.END, (page) => {
    if (!(page.model instanceof Reflection)) return;
    const hasOwn = page.model instanceof DeclarationReflection && (page.model.children ?? []).length > 0;
    const heading = hasOwn ? 'Also exported here' : 'Exports';
    const also = alsoExported(heading, reExports.get(page.model.name) ?? [], page.url, urlOf);
    page.contents = asPageOfSite((page.contents ?? '') + also, page.model.name);
  });
  app.renderer.on(RendererEvent.END, ({ project }) => {
    writeFileSync(`${apiFolder}/index.md`, indexPage(project, reExports, urlOf));
    writeFileSync(`${apiFolder}/sidebar.json`, JSON.stringify(sidebar(project, urlOf)));
  });
  const project = await app.convert();
  if (project === undefined) throw new Error('TypeDoc found nothing to document');
  app.validate(project);
  if (app.logger.validationWarningCount > 0) throw new Error('a {@link} leads to no public name: see above');
  await app.generateOutputs(project);
  if (app.logger.hasErrors()) throw new Error('TypeDoc reported errors');
}

const markdownOptions = {
  router: 'module',
  entryFileName: 'index',
  hidePageHeader: true,
  hideBreadcrumbs: true,
  hideGroupHeadings: true,
  useCodeBlocks: true,
  useHTMLAnchors: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  classPropertiesFormat: 'table',
  typeAliasPropertiesFormat: 'table',
  typeDeclarationFormat: 'table',
  propertyMembersFormat: 'table',
  tableColumnSettings: { hideSources: true, hideInherited: true, hideOverrides: true, hideModifiers: true },
  pageTitleTemplates: { member: '{name}', module: '{name}', index: 'API' },
} as const;

/** Returns the folder of an entry point in the reference. */
const folderOf = (entry: string): string => (entry === 'index' ? 'rx-informers' : entry);

/**
 * Returns the folder of an entry point by its specifier: `testing/in-memory` for
 * `rx-informers/testing/in-memory`.
 */
const folderOfEntry = (specifier: string): string => specifier.replace(/^rx-informers\//, '');

/**
 * Returns the subject of a page of the reference: an entry point, and a topic if the entry point
 * has several pages.
 */
function placeOf(page: string): { readonly specifier: string; readonly topic: string | undefined } {
  // Takes the longest match: `testing/in-memory` is an entry point, not a topic of `testing`.
  const [specifier = page] = entryPoints
    .map((entry) => entry.specifier)
    .filter((each) => `${page}/`.startsWith(`${folderOfEntry(each)}/`))
    .sort((one, other) => other.length - one.length);
  const topics = page.slice(folderOfEntry(specifier).length + 1).split('/');
  return { specifier, topic: topics[0] === '' ? undefined : [...new Set(topics)].join(': ').replaceAll('-', ' ') };
}

/**
 * Removes the names that one entry point exports and another one describes. Stores them by the name
 * of the page of the exporting entry point.
 */
function takeReExports({ project }: Context, reExports: Map<string, Names>): void {
  for (const reference of project.getReflectionsByKind(ReflectionKind.Reference) as ReferenceReflection[]) {
    const { parent } = reference;
    const target = reference.tryGetTargetReflectionDeep();
    if (parent?.parent === project && target instanceof DeclarationReflection) {
      const page = folderOf(parent.name.replace(/^src(\/|$)/, '') || 'index');
      reExports.set(page, [...(reExports.get(page) ?? []), target]);
    }
    project.removeReflection(reference);
  }
  for (const [page, names] of reExports)
    reExports.set(
      page,
      [...names].sort((one, other) => (one.name < other.name ? -1 : 1)),
    );
}

/** Moves the names of each large entry point into modules of their own, one for each page. */
function splitLargeEntries({ project }: Context): void {
  for (const entry of [...(project.children ?? [])]) {
    entry.name = entry.name.replace(/^src(\/|$)/, '') || 'index';
    const pages = pagesOf(entry);
    entry.name = folderOf(entry.name);
    if (pages.size === 1) continue;
    for (const [topic, names] of [...pages].sort(([one], [other]) => (one < other ? -1 : 1))) {
      const page = new DeclarationReflection(`${entry.name}/${topic}`, ReflectionKind.Module, project);
      project.registerReflection(page, undefined, undefined);
      project.addChild(page);
      for (const name of names) {
        entry.removeChild(name);
        name.parent = page;
        page.addChild(name);
      }
    }
    project.removeReflection(entry);
  }
}

type Names = readonly DeclarationReflection[];
type UrlOf = (target: DeclarationReflection) => string;

/** Returns the names of each page of an entry point, by topic. */
function pagesOf(entry: DeclarationReflection): ReadonlyMap<string, Names> {
  const names = entry.children ?? [];
  const topics = names.length > namesOnOnePage ? grouped(names, topicOf) : new Map([['', names]]);
  return new Map(
    [...topics].flatMap(([topic, members]) => {
      if (members.reduce((sum, member) => sum + partsOf(member), 0) <= partsOnOnePage)
        return [[topic, members] as const];
      return [...grouped(members, (member) => [topic, fileOf(member)].filter((part) => part !== '').join('/'))];
    }),
  );
}

function grouped(names: Names, topic: (name: DeclarationReflection) => string): ReadonlyMap<string, Names> {
  const topics = [...new Set(names.map(topic))];
  return new Map(topics.map((each) => [each, names.filter((name) => topic(name) === each)]));
}

/** Returns the number of names, members and parameters in the description of a name. */
function partsOf(name: Reflection): number {
  let parts = 1;
  name.traverse((part) => {
    parts += partsOf(part);
    return true;
  });
  return parts;
}

/**
 * Returns the topic of a name: the folder of src that declares it. If that is the folder of its
 * entry point, the topic is the folder below that.
 */
function topicOf(name: DeclarationReflection): string {
  const [folder, ...rest] = pathOf(name).slice(0, -1);
  return (folder === name.parent?.name ? rest[0] : folder) ?? 'basics';
}

const fileOf = (name: DeclarationReflection): string =>
  pathOf(name)
    .at(-1)
    ?.replace(/\.tsx?$/, '') ?? '';

/** Returns the folders and the file in src that declare a name. */
function pathOf({ sources = [] }: DeclarationReflection): readonly string[] {
  const [, path = ''] = (sources[0]?.fullFileName ?? '').split('/src/');
  return path.split('/');
}

/**
 * Removes inherited members from the descriptions of errors. They are described once, on the base
 * class of all errors. Constructors are removed, too, because callers do not construct errors.
 */
function removeInheritedFromErrors({ project }: Context): void {
  const classes = project.getReflectionsByKind(ReflectionKind.Class) as DeclarationReflection[];
  for (const { children = [] } of classes.filter(({ name }) => name.endsWith('Error') && name !== 'RxInformersError')) {
    for (const member of [...children]) {
      if (member.inheritedFrom !== undefined || member.kind === ReflectionKind.Constructor || isOverride(member))
        project.removeReflection(member);
    }
  }
}

const isOverride = ({ name }: DeclarationReflection): boolean => name === 'name';

/**
 * Sets the ids that links expect on headings, removes the sources of members, and writes the title.
 */
function asPageOfSite(text: string, page: string): string {
  const { specifier, topic } = placeOf(page);
  const title = topic === undefined ? specifier : `${specifier}: ${topic}`;
  const body = withIds(text)
    .replace(/^# .*\n/, '')
    .split(/^(?=## )/m)
    .map(withSourceBelowHeading)
    .join('')
    .replaceAll('__namedParameters', 'options')
    .replace(/^\*\*\*$\n/gm, '');
  return `---\ntitle: '${title}'\noutline: 2\neditLink: false\n---\n\n# ${title}\n${body}`;
}

/**
 * Resolves links by name. A comment may link to any public name, even without importing it, but
 * TypeDoc finds only names in scope.
 */
function resolveLinksByName({ project }: Context): void {
  const names = new Map(
    (project.children ?? []).flatMap(({ children = [] }) => children).map((name) => [name.name, name] as const),
  );
  for (const { comment } of Object.values(project.reflections)) {
    const parts = [...(comment?.summary ?? []), ...(comment?.blockTags ?? []).flatMap(({ content }) => content)];
    for (const part of parts) {
      if (part.kind !== 'inline-tag' || !part.tag.startsWith('@link') || part.target !== undefined) continue;
      const target = names.get(/^[\w$]+/.exec(part.text)?.[0] ?? '');
      if (target !== undefined) part.target = target;
    }
  }
}

/**
 * Sets an id on each heading. It is the id that links expect or, if no link leads to the heading,
 * an unused id.
 */
function withIds(text: string): string {
  const taken = new Set<string>();
  const pattern = /^```[^]*?^```|(?:<a id="([^"]+)"><\/a>\n\n)?^(##+ .*)$/gm;
  return text.replace(pattern, (whole: string, expected: string | undefined, heading: string | undefined) => {
    if (heading === undefined) return whole;
    const id = expected === undefined || taken.has(expected) ? `part-${taken.size}` : expected;
    taken.add(id);
    return `${heading} {#${id}}`;
  });
}

/** Puts a link to the source of a name below its heading, and removes the links of its members. */
function withSourceBelowHeading(section: string): string {
  const [, source] = /^Defined in: (.*)$/m.exec(section) ?? [];
  const text = section.replace(/^Defined in: .*\n\n?/gm, '');
  return source === undefined ? text : text.replace(/^(## .*\n)/, `$1\n${source}{.source}\n`);
}

/**
 * Returns a table of the names that an entry point exports and another page describes, or an empty
 * text if there are none.
 */
function alsoExported(heading: string, names: Names, page: string, urlOf: UrlOf): string {
  if (names.length === 0) return '';
  const rows = names.map((name) => {
    const link = posix.relative(posix.dirname(page), urlOf(name));
    return `| [\`${name.name}\`](${link.startsWith('.') ? link : `./${link}`}) | ${firstSentence(name)} |`;
  });
  const lead = 'Another entry exports each of these names, too, and describes it.';
  return `\n## ${heading}\n\n${lead}\n\n| name | what it is |\n| --- | --- |\n${rows.join('\n')}\n`;
}

/** Returns the first sentence of the doc comment of a name, as a cell of a table. */
function firstSentence({ comment, signatures }: DeclarationReflection): string {
  const { summary } = comment ?? signatures?.[0]?.comment ?? { summary: [] };
  const text = Comment.combineDisplayParts(summary)
    .replace(/\{@link(?:code|plain)? ([^}|\s]+)[^}]*\}/g, '`$1`')
    .replace(/\s+/g, ' ');
  const sentence = /^.*?[.:](?= |$)/.exec(text)?.[0] ?? text;
  return sentence.replace(/:$/, '.').replaceAll('|', '\\|').replaceAll('<', '&lt;');
}

/**
 * Returns the page that lists every name of every entry point. The site shows this page with a
 * filter.
 */
function indexPage(project: ProjectReflection, reExports: ReadonlyMap<string, Names>, urlOf: UrlOf): string {
  const sections = entryPoints.flatMap(({ specifier, source }) => {
    const modules = modulesInOrder(project).filter(({ name }) => placeOf(name).specifier === specifier);
    const own = modules.flatMap(({ groups = [] }) => groups.flatMap(({ children }) => children as Names));
    const names = [...own, ...(reExports.get(folderOfEntry(specifier)) ?? [])];
    const [page] = modules;
    const entry = modules.length === 1 && page !== undefined ? `[${specifier}](./${urlOf(page)})` : specifier;
    return sectionsOf(entry, specifier, readFileSync(projectRoot + source, 'utf8'), names, urlOf);
  });
  return `---
title: API
outline: 2
editLink: false
---

# API

Every public name, by the entry point that exports it, and by what it is for. A name links to its signature, its options and an example.

<ApiFilter />

${sections.join('\n\n')}
`;
}

/** Returns a list of names for each group of an entry point. */
function sectionsOf(entry: string, specifier: string, source: string, names: Names, urlOf: UrlOf): readonly string[] {
  const left = new Map(names.map((name) => [name.name, name] as const));
  const take = (name: string): Names => {
    const found = left.get(name);
    left.delete(name);
    return found === undefined ? [] : [found];
  };
  const groups = exportGroups(source);
  const listed = groups.map(({ title, names: own }) => ({ title, members: own.flatMap(take) }));
  // Names that the entry point exports with `export *` belong to the last group that has such a file.
  const rest = [...left.values()];
  const starred = groups.map(({ files }, index) => ({ files, index })).filter(({ files }) => files.length > 0);
  const filesOf = (name: DeclarationReflection): number =>
    starred.find(({ files }) => files.some((file) => pathOf(name).join('/').endsWith(tsFile(file))))?.index ??
    starred.at(-1)?.index ??
    0;
  return listed.flatMap(({ title, members }, index) => {
    const all = [...members, ...rest.filter((name) => filesOf(name) === index)];
    if (all.length === 0) return [];
    return [listOf(title === '' || groups.length === 1 ? entry : `${specifier}: ${lowerFirst(title)}`, all, urlOf)];
  });
}

const tsFile = (file: string): string => file.replace(/^(?:\.\.?\/)+/, '').replace(/\.js$/, '.ts');

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

function listOf(title: string, names: Names, urlOf: UrlOf): string {
  const items = names.map(
    (name) => `<li><a href="./${htmlUrl(urlOf(name))}" class="${kindOf(name)}">${name.name}</a></li>`,
  );
  return `## ${title}\n\n<ul class="api-names">\n${items.join('\n')}\n</ul>`;
}

const htmlUrl = (url: string): string => url.replace('.md', '.html');

const kindOf = ({ kind }: { readonly kind: ReflectionKind }): string =>
  ReflectionKind.classString(kind).replace('tsd-kind-', '');

/**
 * Returns the modules in the order of `exports` in package.json. The topics of an entry point are
 * sorted by name.
 */
function modulesInOrder({ children = [] }: ProjectReflection): readonly DeclarationReflection[] {
  const order = entryPoints.map(({ specifier }) => specifier);
  const place = ({ name }: DeclarationReflection): number => order.indexOf(placeOf(name).specifier);
  return [...children].sort((one, other) => place(one) - place(other) || (one.name < other.name ? -1 : 1));
}

interface SidebarItem {
  readonly text: string;
  readonly link?: string;
  readonly collapsed?: boolean;
  readonly items?: readonly SidebarItem[];
}

/**
 * Returns an item for each entry point. An entry point with several pages has an item for each
 * page.
 */
function sidebar(project: ProjectReflection, urlOf: (target: DeclarationReflection) => string): readonly SidebarItem[] {
  const pages = modulesInOrder(project).map((module) => ({
    ...placeOf(module.name),
    link: `/reference/api/${urlOf(module).replace(/(index)?\.md$/, '')}`,
  }));
  return entryPoints.map(({ specifier }) => {
    const own = pages.filter((page) => page.specifier === specifier);
    return own.length === 1
      ? { text: specifier, link: own[0]?.link ?? '' }
      : { text: specifier, collapsed: true, items: own.map(({ topic = '', link }) => ({ text: topic, link })) };
  });
}
