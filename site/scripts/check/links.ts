import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, posix } from 'node:path';

const repository = /^https:\/\/github\.com\/rx-informers\/rx-informers\/(?:blob|tree|edit)\/main\/([^#]*)/;

/**
 * Returns the broken links of a built site: pages, anchors, pictures, scripts, styles and files of
 * the repository that do not exist. A script, style or picture that another host would deliver is a
 * problem, too.
 */
export function brokenLinks(folder: string, project: string): readonly string[] {
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    // The page 404.html is left out, because a host shows it for any address.
    (file) => file.endsWith('.html') && file !== '404.html',
  );
  const html = new Map(pages.map((page) => [page, readFileSync(join(folder, page), 'utf8')]));
  const ids = new Map([...html].map(([page, text]) => [page, idsOf(text)]));
  const problems = [...html].flatMap(([page, text]) =>
    linksOf(text).flatMap(({ url, isResource }) => {
      const problem = problemOf(url, isResource, page, folder, project, ids);
      return problem === undefined ? [] : [`${page}: ${url} ${problem}`];
    }),
  );
  return [...new Set(problems)];
}

function problemOf(
  url: string,
  isResource: boolean,
  page: string,
  folder: string,
  project: string,
  ids: ReadonlyMap<string, ReadonlySet<string>>,
): string | undefined {
  const [, path] = repository.exec(url) ?? [];
  if (path !== undefined) return existsSync(join(project, decodeURI(path))) ? undefined : 'is not in the repository';
  if (/^(?:https?:)?\/\//.test(url)) return isResource ? 'is on another host' : undefined;
  if (/^[a-z]+:/.test(url)) return undefined;
  if (url.startsWith('/')) return 'depends on the path of the site';
  const [, link = '', anchor] = /^([^#?]*)(?:\?[^#]*)?(?:#(.*))?$/.exec(url) ?? [];
  const target = link === '' ? page : posix.join(posix.dirname(page), decodeURI(link)).replace(/\/$/, '/index.html');
  if (!existsSync(join(folder, target))) return 'does not exist';
  if (anchor === undefined || anchor === '') return undefined;
  // The playground reads a program from its address.
  if (target === 'playground.html' && anchor.startsWith('ts=')) return undefined;
  return ids.get(target)?.has(decodeURIComponent(anchor)) === true ? undefined : 'has no such anchor';
}

function linksOf(html: string): readonly { readonly url: string; readonly isResource: boolean }[] {
  const body = html.replace(/<script\b(?![^>]*src=)[^]*?<\/script>/g, '');
  return [...body.matchAll(/<([a-z]+)\b[^>]*?\s(href|src|poster)="([^"]*)"/g)].map(([, tag, , url = '']) => ({
    url: url.replaceAll('&amp;', '&'),
    isResource: tag !== 'a',
  }));
}

const idsOf = (html: string): ReadonlySet<string> =>
  new Set([...html.matchAll(/\s(?:id|name)="([^"]+)"/g)].map(([, id = '']) => id));
