import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { projectRoot } from '../project/entry-points.js';

/** A folder of docs and its title. */
interface Kind {
  readonly folder: string;
  readonly title: string;
}

/** The kinds of pages for users, in the order in which they are listed. */
const kindsForUsers: readonly Kind[] = [
  { folder: 'tutorials', title: 'Tutorials' },
  { folder: 'cookbook', title: 'Cookbook' },
  { folder: 'how-to', title: 'How-to guides' },
  { folder: 'reference', title: 'Reference' },
  { folder: 'explanation', title: 'Explanation' },
];

/** The kinds of pages for contributors: neither the sidebar, the search nor llms.txt has them. */
const kindsForContributors: readonly Kind[] = [
  { folder: 'contributing', title: 'Contributing' },
  { folder: 'contributing/decisions', title: 'Decisions' },
];

/** One page of docs. */
export interface Page {
  /** The path relative to docs, for example `how-to/react.md`. */
  readonly path: string;
  /** The `title` of the front matter, or the first heading without markup. */
  readonly title: string;
  /** The text of the page without its front matter. */
  readonly text: string;
}

/** The pages of one folder of docs. */
export interface PagesOfKind {
  readonly folder: string;
  readonly title: string;
  readonly pages: readonly Page[];
}

const docs = `${projectRoot}docs`;

/**
 * Returns the pages for users by kind. Within a kind, pages are in the order in which README.md
 * of the folder first links to them. Pages without a link follow, sorted by title.
 *
 * @param root the folder; default: docs
 */
export function pagesByKind(root = docs): readonly PagesOfKind[] {
  return pagesOf(kindsForUsers, root);
}

/** Returns the pages for contributors by kind, in the order of {@link pagesByKind}. */
export function pagesForContributors(root = docs): readonly PagesOfKind[] {
  return pagesOf(kindsForContributors, root);
}

function pagesOf(kinds: readonly Kind[], root: string): readonly PagesOfKind[] {
  const map = readFileSync(`${root}/README.md`, 'utf8');
  const place = ({ path }: Page): number => {
    const index = map.indexOf(`(${path}`);
    return index < 0 ? map.length : index;
  };
  return kinds
    .filter(({ folder }) => existsSync(`${root}/${folder}`))
    .map(({ folder, title }) => ({
      folder,
      title,
      pages: readdirSync(`${root}/${folder}`)
        .filter((file) => file.endsWith('.md'))
        .map((file) => readPage(`${folder}/${file}`, root))
        .sort((one, other) => place(one) - place(other) || one.title.localeCompare(other.title, 'en')),
    }));
}

/** Reads one page. `path` is relative to `root`. */
export function readPage(path: string, root = docs): Page {
  const source = readFileSync(`${root}/${path}`, 'utf8');
  const [whole = '', frontMatter = ''] = /^---\n([^]*?)\n---\n/.exec(source) ?? [];
  const text = source.slice(whole.length).replace(/^<!--[^]*?-->\n/, '');
  const [, stated] = /^title: *['"]?(.*?)['"]?$/m.exec(frontMatter) ?? [];
  const [, heading = ''] = /^# (.*)$/m.exec(text) ?? [];
  return { path, text, title: stated ?? heading.replace(/[`*]/g, '').trim() };
}
