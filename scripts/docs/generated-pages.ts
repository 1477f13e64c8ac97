import type { ErrorClass, OptionsType, Surface } from '../shape/surface.js';
import { entryPoints } from '../entry-points.js';

/** Returns the pages that are written from the doc comments in src, by their path. */
export function generatedPages({ errors, options }: Surface): ReadonlyMap<string, string> {
  return new Map([
    ['docs/errors.md', errorsPage(errors)],
    ['docs/options.md', optionsPage(options)],
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

| code | class | import from | can be expected |
| --- | --- | --- | --- |
${listed.map((error) => `| [\`${error.code ?? ''}\`](#${(error.code ?? '').toLowerCase()}) | \`${error.name}\` | \`${error.entries[0] ?? ''}\` | ${error.expected === '' ? 'no' : 'yes'} |`).join('\n')}

${listed.map(errorSection).join('\n\n')}
`;
}

function errorSection({ code = '', name, doc, whatToDo, expected }: ErrorClass): string {
  return `## ${code}

\`${name}\`: ${withoutLinks(doc)}

**What to do**: ${whatToDo}

**Expected by design**: ${expected === '' ? 'never.' : expected}`;
}

function optionsPage(options: readonly OptionsType[]): string {
  const ofEntry = (entry: string): string => {
    const types = options.filter((type) => type.entry === entry);
    return types.length === 0 ? '' : `## ${entry}\n\n${types.map(optionsSection).join('\n\n')}`;
  };
  return `${notice}

# Options

All options of all functions, by entry point, with their defaults and costs. Every option accepts \`undefined\`, which means the
default. Options that are required say so.

${entryPoints
  .map(({ specifier }) => ofEntry(specifier))
  .filter((text) => text !== '')
  .join('\n\n')}
`;
}

function optionsSection({ name, takenBy, properties }: OptionsType): string {
  const rows = properties.map(
    ({ name: option, doc, isOptional }) =>
      `| \`${option}\` | ${isOptional ? '' : 'Required. '}${inCell(withoutLinks(doc))} |`,
  );
  const by = takenBy.length === 0 ? '' : `Taken by ${takenBy.map((each) => `\`${each}\``).join(', ')}.\n\n`;
  return `### \`${name}\`\n\n${by}| option | meaning |\n| --- | --- |\n${rows.join('\n')}`;
}

/** A cell of a table is one line. */
function inCell(text: string): string {
  return text
    .replace(/\s*\n\s*/g, ' ')
    .replaceAll('|', '\\|')
    .trim();
}

/** `{@link name}` is for editors. */
function withoutLinks(text: string): string {
  return text.replace(/\{@link ([^}]*)\}/g, '`$1`');
}
