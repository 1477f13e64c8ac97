import { existsSync, statSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';

/** The part of markdown-it that these rules need. */
interface Markdown {
  readonly core: {
    readonly ruler: { push(name: string, rule: (state: { tokens: Token[]; env: unknown }) => void): void };
  };
}

interface Token {
  readonly type: string;
  tag: string;
  readonly content: string;
  readonly children: Token[] | null;
  attrGet(name: string): string | null;
  attrSet(name: string, value: string): void;
}

/** The properties of the rendered page that VitePress provides. */
interface PageEnvironment {
  readonly path?: string;
  readonly relativePath?: string;
}

/**
 * Makes links of pages work on the site as they do on GitHub. A link to a file outside docs leads
 * to the repository. A link to a README.md leads to the index of its folder.
 */
export function linksOutOfDocs(md: Markdown, project: string, repository: string): void {
  md.core.ruler.push('links-out-of-docs', ({ tokens, env }) => {
    const { path } = env as PageEnvironment;
    if (path === undefined) return;
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.type === 'link_open' ? (token.attrGet('href') ?? '') : '';
      const target = hrefOnSite(href, path, project, repository);
      if (target !== undefined) token.attrSet('href', target);
    }
  });
}

/**
 * Returns the target of a link on the site, or `undefined` if the link does not change.
 *
 * @param page the path of the file that has the link
 */
export function hrefOnSite(href: string, page: string, project: string, repository: string): string | undefined {
  if (href === '' || /^([a-z]+:|#|\/)/.test(href)) return undefined;
  const [link = '', anchor] = decodeURI(href).split('#');
  const file = resolve(dirname(page), link);
  const path = relative(project, file);
  const [, folder] = /^docs\/(.*)README\.md$/.exec(path) ?? [];
  if (folder !== undefined) return `/${folder}${anchor === undefined ? '' : `#${anchor}`}`;
  if (path.startsWith('docs/')) return undefined;
  const kind = existsSync(file) && statSync(file).isDirectory() ? 'tree' : 'blob';
  return `${repository}/${kind}/main/${path}${anchor === undefined ? '' : `#${anchor}`}`;
}

/** Renders an empty column heading as an ordinary cell. */
export function noEmptyHeadings(md: Markdown): void {
  md.core.ruler.push('no-empty-headings', ({ tokens }) => {
    tokens.forEach(({ type }, index) => {
      if (type !== 'th_open' || tokens[index + 1]?.content !== '') return;
      for (const token of tokens.slice(index, index + 3)) token.tag = token.tag.replace('th', 'td');
    });
  });
}

/** The pages whose tables define rules. The first cell of a row has the id of the rule. */
const pagesOfRules = ['reference/rules.md', 'explanation/guarantees.md'];

/** Sets an id on the first row of each rule, so that a link leads to it: `rules.html#r12`. */
export function anchorsOfRules(md: Markdown): void {
  md.core.ruler.push('anchors-of-rules', ({ tokens, env }) => {
    if (!pagesOfRules.includes((env as PageEnvironment).relativePath ?? '')) return;
    const taken = new Set<string>();
    tokens.forEach((token, index) => {
      const id = token.type === 'tr_open' ? ruleIn(tokens[index + 2]?.content ?? '') : undefined;
      if (id === undefined || taken.has(id)) return;
      taken.add(id);
      token.attrSet('id', id.toLowerCase());
    });
  });
}

/** Returns the id of a rule from the first cell of its row: `R12` from `R12 ▲`. */
export function ruleIn(cell: string): string | undefined {
  return /^(?:▲ )?([A-Z]\d{1,2})(?: ▲)?$/.exec(cell.trim())?.[1];
}

/**
 * Returns a page for the search in which the row of each rule begins with a heading. The search
 * finds only headings and their sections, so it finds `R12` as a heading.
 */
export function rulesAsSections(html: string): string {
  return html.replace(
    /<tr id="([a-z]\d+)">\s*<td[^>]*>([^]*?)<\/td>/g,
    (_, id: string, cell: string) => `<h3>${cell}<a href="#${id}"> </a></h3>`,
  );
}

/**
 * Returns the id that GitHub sets on a heading, so that a link works both on GitHub and on the
 * site.
 */
export function githubSlug(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-');
}
