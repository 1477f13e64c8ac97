import { packageJson } from '../project/entry-points.js';
import { pagesByKind, readPage, type Page, type PagesOfKind } from './pages.js';

/**
 * A text for an assistant that works with this package, made from sections of some pages of docs.
 */
interface Skill {
  readonly name: string;
  /** When an assistant should read it. */
  readonly description: string;
  /**
   * The pages, relative to docs, and for each page the headings of the sections to take. A heading
   * stands for the text up to the next heading of any level, and `''` for the beginning of the
   * page.
   */
  readonly pages: Readonly<Record<string, readonly string[]>>;
}

const skills: readonly Skill[] = [
  {
    name: 'informer',
    description:
      'Observe Kubernetes objects live with rx-informers: informers, indexes, live queries, life cycle. In TypeScript.',
    pages: {
      'tutorials/first-live-query.md': [
        '',
        '1. A project',
        '2. A live query without a cluster',
        '3. More questions',
        '4. The end of the program',
        '5. Your own cluster',
      ],
      'reference/queries.md': ['', 'Examples', 'Several queries at once', 'Wait for one object'],
      'reference/index-functions.md': [''],
      'cookbook/pods-per-node.md': [''],
      'how-to/derived.md': ['groupBy'],
      'how-to/lifetime.md': ['State and errors', 'Share informers'],
    },
  },
  {
    name: 'derived-collections',
    description: 'Join, group, count and select across kinds of Kubernetes objects with rx-informers/derived.',
    pages: {
      'how-to/derived.md': [
        '',
        'Which one do I need?',
        'Change in, change out',
        'filter, map, flatMap',
        'union, distinct',
        'limit, expireAfter',
        'leftJoin, groupJoin',
        'selectorJoin',
        'groupBy',
        'ownerTree, rollUp',
        'derive',
        'In a controller, a view, a test',
      ],
    },
  },
  {
    name: 'controller',
    description:
      'Write a Kubernetes controller with rx-informers/controller: reconcile, triggers, writing back, a test.',
    pages: {
      'tutorials/first-controller.md': ['2. A kind', '3. The controller', '6. Test it in virtual time'],
      'how-to/controllers.md': ['`controller()`', 'Triggers', 'Writing back'],
      'how-to/writing.md': ['', 'Expected errors'],
    },
  },
  {
    name: 'testing',
    description: 'Test code that uses rx-informers: marble diagrams in virtual time, the embedded API server, faults.',
    pages: {
      'how-to/testing-faults.md': ['', 'Marbles', 'Watch traffic', 'Expectations', 'Of a server', 'Virtual time'],
      'how-to/controllers.md': ['Testing a controller'],
    },
  },
  {
    name: 'react',
    description: 'Show Kubernetes objects in React, Vue, Svelte, Solid or Angular with live queries of rx-informers.',
    pages: {
      'how-to/react.md': [
        'A live table in ten lines',
        'The hooks',
        'Counts and groups',
        'In a test',
        'Other frameworks',
      ],
    },
  },
  {
    name: 'migrating',
    description: "Move from client-go or client-node's informer to rx-informers: the same words, and the differences.",
    pages: {
      'how-to/migrating.md': ['', 'From the informer of `@kubernetes/client-node`', 'From client-go', 'Step by step'],
      'explanation/differences.md': ['', 'Where to find it', 'What differs, on purpose'],
    },
  },
];

/** Returns the files for assistants, by path: `llms.txt` and the skills. */
export function assistantFiles(): ReadonlyMap<string, string> {
  return new Map([
    ['llms.txt', overview('docs/')],
    ...skills.map((skill) => [`skills/${skill.name}/SKILL.md`, skillFile(skill)] as const),
  ]);
}

/**
 * Returns `llms.txt`: every page for users with its first sentence.
 * @param docs the path or URL of docs, for the links
 */
export function overview(docs: string, kinds: readonly PagesOfKind[] = pagesByKind()): string {
  const sections = kinds.map(({ title, pages }) => {
    const lines = pages.map((page) => `- [${page.title}](${docs}${page.path}): ${firstSentence(page)}`);
    return `## ${title}\n\n${lines.join('\n')}`;
  });
  return `# ${packageJson.name}\n\n> ${packageJson.description}\n\n${sections.join('\n\n')}\n`;
}

/**
 * Pages that `llms-full.txt` leaves out: the declarations of the package have the options, doc
 * comments cite the rules, the dashboard, its server, the hub and the agent are applications or
 * parts of one, the examples of client-node are for programs that exist, the skill for migrating
 * has the steps and the differences from client-go, the operators of the questions about a cluster
 * have a guide, and neither charts nor tested versions nor the differences of the embedded API
 * server help to write code.
 */
const leftOut: ReadonlySet<string> = new Set([
  'how-to/agents.md',
  'reference/options.md',
  'reference/rules.md',
  'how-to/browser-server.md',
  'how-to/client-node-examples.md',
  'how-to/cluster-questions.md',
  'how-to/hub.md',
  'how-to/dashboard.md',
  'how-to/migrating.md',
  'explanation/differences.md',
  'explanation/performance.md',
  'explanation/testing-differences.md',
  'reference/compatibility.md',
]);

/**
 * Returns `llms-full.txt`: the pages for users in one text, without pictures. Of the errors, it has
 * only the table of the codes.
 */
export function fullText(kinds: readonly PagesOfKind[] = pagesByKind()): string {
  const pages = kinds.flatMap((kind) => kind.pages).filter(({ path }) => !leftOut.has(path));
  const texts = pages.map(({ path, text }) => {
    const [start = ''] = path === 'reference/errors.md' ? text.split(/^## /m) : [text];
    return `<!-- docs/${path} -->\n\n${withoutPictures(start).trim()}`;
  });
  return `${texts.join('\n\n')}\n`;
}

/** Returns a page without pictures, and without the comments that mark generated parts. */
function withoutPictures(text: string): string {
  return text
    .replace(/^!\[[^\]]*\]\([^)]*\)\n*/gm, '')
    .replace(/^<picture>[^]*?<\/picture>\n*/gm, '')
    .replace(/<!-- \/?figure[^>]*-->/g, '')
    .replace(/<!-- \/?imports -->\n+/g, '');
}

function skillFile({ name, description, pages }: Skill): string {
  const parts = Object.entries(pages).map(([path, headings]) => excerpt(readPage(path), headings));
  return `---
name: rx-informers-${name}
description: ${JSON.stringify(description)}
---

<!-- Made from docs by \`npm run docs:update\`. Do not edit. -->

${parts.join('\n\n')}
`;
}

/**
 * Returns the title of a page and the sections with these headings. Links within the repository
 * become plain text, because a skill is copied without the pages.
 *
 * @throws Error if the page has no such heading
 */
export function excerpt({ path, text }: Page, headings: readonly string[]): string {
  const [start = '', ...chapters] = text.trim().split(/^(?=##+ )/m);
  const [title = '', ...beginning] = start.split('\n');
  const sections = [`${beginning.join('\n').trim()}\n\n`, ...chapters];
  const unknown = headings.filter((heading) => !sections.some((section) => headingOf(section) === heading));
  if (unknown.length > 0) {
    throw new Error(
      `docs/${path} has no heading ${unknown.join(', ')}; correct the skills in scripts/docs/assistants.ts`,
    );
  }
  const isTaken = (section: string): boolean => headings.includes(headingOf(section));
  return withoutLinks(withoutPictures([title, '\n\n', ...sections.filter(isTaken)].join(''))).trim();
}

/** Returns a text without links within the repository and without lines that start with `More:`. */
function withoutLinks(text: string): string {
  return text.replace(/^More: .*\n?/gm, '').replace(/(?<!!)\[((?:[^[\]]|\[[^\]]*\])*)\]\((?![a-z]+:)[^)\s]*\)/g, '$1');
}

/** Returns the heading of a section, or `''` for the beginning of a page. */
const headingOf = (section: string): string => /^##+ (.*)/.exec(section)?.[1] ?? '';

/** Returns the first sentence of the first paragraph, without links. */
function firstSentence({ text }: Page): string {
  const paragraph = text.split(/\n\n+/).find((block) => /^[A-Z`*[]/.test(block)) ?? '';
  const line = paragraph.replace(/\s*\n\s*/g, ' ').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  return (/^.*?[.:](?= |$)/.exec(line)?.[0] ?? line).replace(/:$/, '.');
}
