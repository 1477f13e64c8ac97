import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';

/**
 * A name and the specifier of the entry point that exports it, for example `informer` of
 * `rx-informers`.
 */
interface ExportedName {
  readonly name: string;
  readonly entry: string;
}

/**
 * Returns the public names that the built reference does not describe. A name is returned if the
 * index lacks it in the section of its entry point, or if its description has no text besides code.
 *
 * @param folder the folder of the reference in the built site
 */
export function undescribedNames(names: readonly ExportedName[], folder: string): readonly string[] {
  const read = (file: string): string =>
    existsSync(posix.join(folder, file)) ? readFileSync(posix.join(folder, file), 'utf8') : '';
  const links = linksOfIndex(read('index.html'));
  const pages = new Map<string, ReadonlyMap<string, string>>();
  const describedOn = (page: string): ReadonlyMap<string, string> => {
    const known = pages.get(page) ?? textsByAnchor(read(page));
    pages.set(page, known);
    return known;
  };
  return names.flatMap(({ name, entry }) => {
    const link = links.get(`${entry} ${name}`);
    if (link === undefined) return [`${name} of ${entry} is not in the index of the reference`];
    const [page = '', anchor = ''] = link.split('#');
    const text = describedOn(posix.normalize(page)).get(anchor);
    if (text === undefined) return [`${name} of ${entry} has no description at ${link}`];
    return /[a-z]{2,}\s+\S+/i.test(text) ? [] : [`${name} of ${entry} is described without a word at ${link}`];
  });
}

/**
 * Returns the links of the index, by entry point and name. Each section is about an entry point, or
 * about one of its topics.
 */
function linksOfIndex(html: string): ReadonlyMap<string, string> {
  const sections = html.split(/(?=<h2\b)/);
  return new Map(
    sections.flatMap((section) => {
      const heading = textOf(/^<h2\b[^]*?<\/h2>/.exec(section)?.[0] ?? '');
      const [, entry = ''] = /^(rx-informers[\w/-]*)/.exec(heading) ?? [];
      return [...section.matchAll(/<li><a href="([^"]*)"[^>]*>([^<]*)<\/a>/g)].map(
        ([, link = '', name = '']) => [`${entry} ${name}`, link] as const,
      );
    }),
  );
}

/**
 * Returns the text below each heading of the second level, without code and without the link to its
 * source.
 */
function textsByAnchor(html: string): ReadonlyMap<string, string> {
  return new Map(
    html.split(/(?=<h2\b)/).map((section) => {
      const [heading = '', anchor = ''] = /^<h2\b[^>]*?\sid="([^"]*)"[^]*?<\/h2>/.exec(section) ?? [];
      const [body = ''] = section.slice(heading.length).split('</main>');
      return [
        anchor,
        textOf(
          body.replace(
            /<pre\b[^]*?<\/pre>|<p><a [^>]*class="source"[^]*?<\/p>|<button\b[^]*?<\/button>|<span class="lang">[^]*?<\/span>/g,
            '',
          ),
        ),
      ];
    }),
  );
}

const textOf = (html: string): string =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replace(/&ZeroWidthSpace;|\u200b/g, '')
    .trim();
