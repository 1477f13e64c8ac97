import { readFileSync } from 'node:fs';
import { projectRoot } from '../project/entry-points.js';

const pages = ['docs/reference/rules.md', 'docs/explanation/guarantees.md'];

/**
 * Matches ids that begin with the letter of a topic. Other letters, as in V8, do not begin a rule
 * id.
 */
const id = /\b[D-LQRSUWX]\d{1,2}\b/g;

/**
 * Matches ids and a colon at the beginning of a string, as in names of tests, and ids in
 * parentheses.
 */
const citation =
  /(?<=['"`])(?:▲ )?[D-LQRSUWX]\d{1,2}(?: ▲)?(?:, (?:▲ )?[D-LQRSUWX]\d{1,2}(?: ▲)?)*(?=: )|\((?:▲ )?[D-LQRSUWX]\d{1,2}(?: ▲)?(?:, [D-LQRSUWX]\d{1,2}(?: ▲)?)*\)/g;

/**
 * Returns one line for each rule id that a file cites and that neither `docs/reference/rules.md`
 * nor `docs/explanation/guarantees.md` defines. A definition is the first cell of a row of a table.
 *
 * Cited ids are those in comments and names of tests, and in the prose of Markdown files.
 */
export function undefinedRules(files: readonly string[]): readonly string[] {
  const defined = definedRules();
  return files.flatMap((file) => {
    const unknown = new Set(citedIn(file, read(file)).filter((rule) => !defined.has(rule)));
    return [...unknown].map((rule) => `${file} cites ${rule}, which docs/reference/rules.md does not define`);
  });
}

function definedRules(): ReadonlySet<string> {
  const rows = pages.flatMap((page) => [...read(page).matchAll(/^\| ([^|]+) \|/gm)]);
  return new Set(rows.flatMap(([, cell = '']) => cell.match(id) ?? []));
}

function citedIn(file: string, text: string): readonly string[] {
  const prose = file.endsWith('.md')
    ? [text.replace(/^ *```[^]*?^ *```|`[^`\n]*`|\]\([^)\n]*\)|<!--[^]*?-->/gm, ' ')]
    : [
        ...(text.match(/\/\*\*?[^]*?\*\/|(?<=^|[ ;])\/\/ .*$/gm) ?? []).map(withoutCode),
        ...(text.match(citation) ?? []),
      ];
  return prose.flatMap((part) => part.match(id) ?? []);
}

/** Removes code from a comment, because the marbles in it look like ids. */
function withoutCode(comment: string): string {
  return comment.replace(/`[^`]*`/g, ' ');
}

function read(file: string): string {
  return readFileSync(projectRoot + file, 'utf8');
}
