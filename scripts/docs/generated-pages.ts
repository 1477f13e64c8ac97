import { readFileSync } from 'node:fs';
import { entryPoints, projectRoot } from '../project/entry-points.js';
import { compilers, nodes, runtimes } from '../project/tested-versions.js';
import type { DocumentedError, OptionsType, Surface } from '../shape/surface.js';
import { marblePictures } from './marbles.js';

/** Returns the pages generated from doc comments and the pictures drawn from tests, by path. */
export function generatedPages({ errors, options }: Surface): ReadonlyMap<string, string> {
  return new Map([
    ['docs/reference/errors.md', errorsPage(errors)],
    ['docs/reference/options.md', optionsPage(options)],
    ['docs/reference/compatibility.md', compatibilityPage()],
    ...marblePictures(),
  ]);
}

/** Writes the rows of the page for the versions that `npm run task -- smoke` tests. */
function compatibilityPage(): string {
  const path = 'docs/reference/compatibility.md';
  const others = nodes.flatMap(({ node }) => (node === 'this' ? [] : [node])).join(' and ');
  const clients = [...new Set(nodes.map(({ clientNode }) => clientNode))];
  const rows = {
    Node: `the Node version of CI (all tests); ${others} (the packed package, as ES module and CommonJS)`,
    'Bun, Deno': `${runtimes.map(({ name, version }) => `${name} ${version}`).join(', ')} (the packed package)`,
    TypeScript: `${compilers.join(', ')} (all declarations, without \`skipLibCheck\` and without the DOM)`,
    '`@kubernetes/client-node` (optional)': `${clients[0]} (all tests), ${clients.slice(1).join(', ')} (the packed package)`,
  };
  return Object.entries(rows).reduce(
    (page, [what, tested]) =>
      page.replace(/^\| (.*) \| (.*) \| .* \|$/gm, (row: string, first: string, supported: string) =>
        first === what ? `| ${what} | ${supported} | ${tested} |` : row,
      ),
    readFileSync(projectRoot + path, 'utf8'),
  );
}

const notice = '<!-- Written from the doc comments in src by `npm run docs:update`. Do not edit. -->';

function errorsPage(errors: readonly DocumentedError[]): string {
  const listed = errors.toSorted((one, other) => (one.code < other.code ? -1 : 1));
  return `${notice}

# Errors

Every error of this package is an \`RxInformersError\`. Its \`code\` starts with \`RXI_\` and says what happened; TypeScript
knows the further fields of each code. Codes are stable: texts of messages may change in any version, codes only in a major one.
The exceptions are mistakes in a test that uses \`virtualClock\` or \`informerTest\`, such as a timer that never ends: these throw a
plain \`Error\`. What a function of yours throws is the \`cause\` of such an error.
\`toJSON()\` returns name, code, message and fields for logs; the stack is left out.

Use \`isRxInformersError\` where an error is \`unknown\`. It works across the ES module and the CommonJS copy of this package, as
\`instanceof\` does. There are two subclasses, because programs often create or catch them by class: \`StatusError\`
(\`RXI_STATUS\`) and \`TerminalError\` (\`RXI_TERMINAL\`). \`TerminalError\` is in \`rx-informers/controller\`, the other names are in \`rx-informers\`. The \`name\` of any other error is its code, so each log shows it.

\`\`\`ts
podInformer.errors$.subscribe((error) => {
  if (error.code === 'RXI_KEY_COLLISION') console.warn(error.key, error.partitions);
});
const refusals$ = podInformer.errors$.pipe(filter((error) => error.code === 'RXI_STATUS' && error.statusCode === 403));

try {
  podInformer.byIndex('namespace', 'web');
} catch (error) {
  if (!isRxInformersError(error, 'RXI_UNKNOWN_INDEX')) throw error;
  console.error(error.message, error.known);
}
\`\`\`

Errors of sources have \`expected\`: \`true\` for what the protocol handles by design, such as an expired version. Log these at a
low level. An informer retries after every error of its source, so an error on \`errors$\` is a report and not an end.

| code | when it occurs | expected |
| --- | --- | --- |
${listed.map(({ code, doc, expected }) => `| [\`${code}\`](#${code.toLowerCase()}) | ${inCell(firstSentence(withoutLinks(doc)))} | ${expected === '' ? 'no' : 'yes'} |`).join('\n')}

${listed.map(errorSection).join('\n\n')}
`;
}

function errorSection({ code, doc, whatToDo, expected, fields }: DocumentedError): string {
  return `## ${code}

${withoutLinks(doc)}

**What to do**: ${whatToDo}

**Expected**: ${expected === '' ? 'never.' : expected}${fields.length === 0 ? '' : `\n\n**Fields**: ${fields.map((field) => `\`${field}\``).join(', ')}`}`;
}

function optionsPage(types: readonly OptionsType[]): string {
  const entries = entryPoints
    .map(({ specifier }) => ({ specifier, own: types.filter(({ entry }) => entry === specifier) }))
    .filter(({ own }) => own.length > 0);
  const inPageOrder = entries.flatMap(({ own }) => own);
  const sections = entries.map(({ specifier, own }) => {
    const texts = own.map((type) => optionsSection(type, inPageOrder.slice(0, inPageOrder.indexOf(type))));
    return `## ${specifier}\n\n${texts.join('\n\n')}`;
  });
  return `${notice}

# Options

All options of all functions, with their defaults and costs. Every option accepts \`undefined\`, which means the default. Options
without a default that must be given say "required".

| entry point | options, and the functions that take them |
| --- | --- |
${entries.map(({ specifier, own }) => `| \`${specifier}\` | ${own.map(contentsOf).join(', ')} |`).join('\n')}

${sections.join('\n\n')}
`;
}

/**
 * Returns a line of the contents. It names the functions that take the options, because a reader
 * knows these. If no function takes the type, the line names the type.
 */
function contentsOf({ name, takenBy }: OptionsType): string {
  const names = takenBy.length === 0 ? [name] : [...new Set(takenBy)];
  return names.map((each) => `[\`${each}\`](#${name.toLowerCase()})`).join(', ');
}

/**
 * Returns the section of one options type. If a type earlier on the page documents an option with
 * the same text, the section only names the option.
 */
function optionsSection(
  { name, entry, isExported, takenBy, properties }: OptionsType,
  above: readonly OptionsType[],
): string {
  const shared = sharedWith(properties, above);
  const rows = properties
    .filter((property) => !shared.some(({ options }) => options.includes(property)))
    .map(optionRow);
  const by = takenBy.length === 0 ? [] : [`Taken by ${[...new Set(takenBy)].map((each) => `\`${each}\``).join(', ')}.`];
  const also = shared.map(
    ({ type, options }) =>
      `${rows.length === 0 ? 'It has' : 'It also has'} options of [\`${type.name}\`](#${type.name.toLowerCase()}): ${options.map((option) => `\`${option.name}\``).join(', ')}.`,
  );
  const table = rows.length === 0 ? [] : [`| option | default | meaning |\n| --- | --- | --- |\n${rows.join('\n')}`];
  const imported = isExported ? [`\`import type { ${name} } from '${entry}'\``] : [];
  return [`### \`${name}\``, ...imported, ...by, ...table, ...also].join('\n\n');
}

interface Shared {
  readonly type: OptionsType;
  readonly options: OptionsType['properties'];
}

/**
 * Returns the earlier types of the page that have at least two options in common with this type,
 * with the same text. The type with the most options in common comes first.
 */
function sharedWith(properties: OptionsType['properties'], above: readonly OptionsType[]): readonly Shared[] {
  const best = above
    .map((type) => ({ type, options: properties.filter((one) => type.properties.some((other) => isSame(one, other))) }))
    .reduce<Shared | undefined>(
      (most, next) => (next.options.length > (most?.options.length ?? 1) ? next : most),
      undefined,
    );
  if (best === undefined) return [];
  const rest = properties.filter((property) => !best.options.includes(property));
  return [best, ...sharedWith(rest, above)];
}

type Option = OptionsType['properties'][number];

const isSame = (one: Option, other: Option): boolean => one.name === other.name && one.doc === other.doc;

/**
 * Returns a row of the table. A short sentence about the default moves into the column for
 * defaults. A longer sentence stays in the description, and only its value is repeated in that
 * column.
 */
function optionRow({ name, doc, isOptional }: Option): string {
  const text = inCell(withoutLinks(doc));
  const sentence = /(?:^|(?<=[.;] ))Default:? ([^;]{1,50}?)\.(?: |$)/.exec(text);
  const value = sentence ?? /(?:^|(?<=[.;] ))Default:? (`[^`]+`|\d[\d,.]*)(?=[:;,. ])/.exec(text);
  const meaning = sentence === null ? text : text.replace(sentence[0], '');
  return `| \`${name}\` | ${isOptional ? (value?.[1] ?? '') : 'required'} | ${meaning.trim()} |`;
}

/** Returns the text up to its first full stop, semicolon or colon, as a sentence. */
function firstSentence(text: string): string {
  return /^[^]*?[.;:](?=\s|$)/.exec(text)?.[0].replace(/[;:]$/, '.') ?? text;
}

/** Returns the text on one line, as a cell of a table requires. */
function inCell(text: string): string {
  return text
    .replace(/\s*\n\s*/g, ' ')
    .replaceAll('|', '\\|')
    .trim();
}

/** Replaces `{@link name}`, which only editors understand, with the name as code. */
function withoutLinks(text: string): string {
  return text.replace(/\{@link ([^}]*)\}/g, '`$1`');
}
