import { readFileSync } from 'node:fs';
import { projectRoot } from '../project/entry-points.js';
import type { Surface } from '../shape/surface.js';

/** The pages with a table of the entry points of their names, between two comments. */
const pages = ['operators', 'queries', 'index-functions', 'selectors'].map((name) => `docs/reference/${name}.md`);

const table = /(?<=<!-- imports -->\n)[^]*?(?=<!-- \/imports -->)/;

/** Returns the pages that list functions, with the entry point of each function. */
export function pagesWithImports({ names }: Surface): ReadonlyMap<string, string> {
  return new Map(
    pages.map((path) => {
      const text = readFileSync(projectRoot + path, 'utf8');
      if (!table.test(text)) throw new Error(`${path} has no line <!-- imports -->`);
      return [path, text.replace(table, importsOf(describedNames(text.replace(table, '')), names))];
    }),
  );
}

/** Returns the names in headings, in the first column of tables, and at the start of paragraphs. */
function describedNames(text: string): ReadonlySet<string> {
  const headings = [...text.matchAll(/^### (.*)/gm)].flatMap(([, heading = '']) => heading.split(', '));
  const places = [...text.matchAll(/^(?:\| ([^|]*) \||`\w+\()/gm)].map(([place, cell]) => cell ?? place);
  const code = [...places.join('\n').matchAll(/`([\w$]+)/g)].map(([, name = '']) => name);
  return new Set([...headings, ...code]);
}

function importsOf(described: ReadonlySet<string>, names: Surface['names']): string {
  const listed = names.filter(({ name, isValue }) => isValue && described.has(name));
  // If several entry points export a name, the first one stands: the root before the others.
  const entries = new Map(listed.toReversed().map(({ name, entry }) => [name, entry]));
  const rows = [...new Set(listed.map(({ entry }) => entry))].flatMap((entry) => {
    const own = [...entries.keys()].filter((name) => entries.get(name) === entry).sort();
    return own.length === 0 ? [] : [`| \`${entry}\` | ${own.map((name) => `\`${name}\``).join(', ')} |`];
  });
  return `\n| import from | names of this page |\n| --- | --- |\n${rows.join('\n')}\n\n`;
}
