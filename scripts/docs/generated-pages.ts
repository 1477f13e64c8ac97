import { entryPoints } from '../project/entry-points.js';
import type { ErrorClass, OptionsType, Surface } from '../shape/surface.js';
import { marblePictures } from './marbles.js';

/** Returns the pages generated from doc comments and the pictures drawn from tests, by path. */
export function generatedPages({ errors, options }: Surface): ReadonlyMap<string, string> {
  return new Map([
    ['docs/reference/errors.md', errorsPage(errors)],
    ['docs/reference/options.md', optionsPage(options)],
    ...marblePictures(),
  ]);
}

const notice = '<!-- Written from the doc comments in src by `npm run docs:update`. Do not edit. -->';

function errorsPage(errors: readonly ErrorClass[]): string {
  const order = entryPoints.map(({ specifier }) => specifier);
  const place = ({ entries, code = '' }: ErrorClass): string => `${order.indexOf(entries[0] ?? '')} ${code}`;
  const listed = errors
    .filter(({ code, entries, isAbstract }) => !isAbstract && code !== undefined && entries.length > 0)
    .sort((one, other) => (place(one) < place(other) ? -1 : 1));
  return `${notice}

# Errors

Every error of this package is an \`RxInformersError\`. It has a \`code\` that starts with \`RXI_\`. Codes are stable: names of
classes and texts of messages may change in any version, codes only in a major one. \`toJSON()\` returns name, code, message and
fields for logs; the stack is left out.

Use \`isRxInformersError\` where an error is \`unknown\`. It works across the ES module and the CommonJS copy of this package, as
\`instanceof\` does.

\`\`\`ts
podInformer.errors$.subscribe((error) => {
  if (isRxInformersError(error, 'RXI_STATUS')) console.warn('the API server refused a request', error.toJSON());
});

try {
  podInformer.byIndex('namespace', 'web');
} catch (error) {
  if (!isRxInformersError(error)) throw error;
  console.error(error.code, error.message);
}
\`\`\`

Errors of sources have \`expected\`: \`true\` for what the protocol handles by design, such as an expired version. Log these at a
low level. An informer retries after every error of its source, so an error on \`errors$\` is a report and not an end.

| code | when it occurs | expected |
| --- | --- | --- |
${listed.map((error) => `| [\`${error.code ?? ''}\`](#${(error.code ?? '').toLowerCase()}) | ${inCell(firstSentence(withoutLinks(error.doc)))} | ${error.expected === '' ? 'no' : 'yes'} |`).join('\n')}

${listed.map(errorSection).join('\n\n')}
`;
}

function errorSection({ code = '', name, doc, whatToDo, expected, entries }: ErrorClass): string {
  return `## ${code}

${withoutLinks(doc)}

**What to do**: ${whatToDo}

**Expected**: ${expected === '' ? 'never.' : expected}

**Class**: \`${name}\` of \`${entries[0] ?? ''}\``;
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
  return `[${(takenBy.length === 0 ? [name] : [...new Set(takenBy)]).map((each) => `\`${each}\``).join(', ')}](#${name.toLowerCase()})`;
}

/**
 * Returns the section of one options type. If a type earlier on the page documents an option with
 * the same text, the section only names the option.
 */
function optionsSection({ name, takenBy, properties }: OptionsType, above: readonly OptionsType[]): string {
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
  return [`### \`${name}\``, ...by, ...table, ...also].join('\n\n');
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
