/** A program in the form that the sandbox runs. */
export interface Program {
  /** The statements, each on its original line. They get modules from `playground`. */
  readonly body: string;
  /** The modules that it imports, for example `rx-informers/controller`. */
  readonly imports: readonly string[];
  /**
   * All identifiers in the program. If the program neither declares nor imports a name, the page
   * provides it.
   */
  readonly names: readonly string[];
}

/**
 * Prepares JavaScript for the sandbox. Imports become look-ups, and every statement reports its
 * result. Line numbers do not change.
 *
 * | statement | becomes |
 * | --- | --- |
 * | `import { a } from 'm'` | `const { a } = playground.module('m', 'a')`, which throws if `m` has no `a` |
 * | `const x$ = …` | the same, and `playground.seen('x$', x$, …)` |
 * | an expression | `playground.shown('…', expression, …)` |
 * | `x$.subscribe(…)` | `x$.__at('x$', …).subscribe(…)`, which records what the Observable emits |
 *
 * @param javascript code without types
 */
export function programOf(javascript: string): Program {
  const masked = withoutTexts(javascript);
  const imports: string[] = [];
  const names = new Set(masked.match(/(?<![.\w$])[A-Za-z_$][\w$]*/g) ?? []);
  let body = '';
  let end = 0;
  for (const statement of statementsOf(masked)) {
    const text = javascript.slice(statement.start, statement.end);
    const mask = masked.slice(statement.start, statement.end);
    body += javascript.slice(end, statement.start);
    const line = javascript.slice(0, statement.start).split('\n').length;
    body += rewritten(text, mask, line, masked, imports);
    end = statement.end;
  }
  body += javascript.slice(end);
  // In an example, `informer` without a call is an informer of pods.
  if (/\binformer\b(?!\s*[(<])/.test(masked) && !/\binformer\s*[(<]/.test(masked)) names.add('informer as an object');
  return { body, imports, names: [...names].filter((name) => !reserved.has(name)) };
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Matches the start of a statement that ends with a brace. */
const blockStart = /^(?:export\s+)?(?:default\s+)?(?:async\s+)?(?:function|class|if|for|while|switch|try|\{)(?![\w$])/;

/**
 * Returns the statements of the top level. A statement ends with a semicolon, with the brace of a
 * block, or at the end of a line.
 */
function statementsOf(masked: string): readonly Span[] {
  const spans: Span[] = [];
  let depth = 0;
  let start = -1;
  for (let index = 0; index < masked.length; index += 1) {
    const character = masked.charAt(index);
    if (start < 0) {
      if (/\s/.test(character)) continue;
      start = index;
    }
    if ('([{'.includes(character)) depth += 1;
    if (')]}'.includes(character)) depth -= 1;
    if (depth > 0 || !';}\n'.includes(character)) continue;
    const text = masked.slice(start, index + 1);
    const rest = masked.slice(index + 1);
    const isBlock = blockStart.test(text);
    const ends = character === '\n' ? !isBlock && endsLine(text, rest) : character === ';' || isBlock;
    if (!ends || (isBlock && /^\s*(?:else|catch|finally)\b/.test(rest))) continue;
    spans.push({ start, end: start + text.trimEnd().length });
    start = -1;
  }
  if (start >= 0) spans.push({ start, end: masked.trimEnd().length });
  return spans;
}

/** Matches the end of a line whose statement goes on in the next line. */
const openEnd =
  /(?:(?<!\+)\+|(?<!-)-|[*/%=<>&|^!~?:,.([{]|(?<![\w$.])(?:async|await|const|default|delete|do|else|export|import|in|instanceof|let|new|throw|typeof|var|void|yield))$/;

/** Matches the start of a line that continues the statement of the line before it. */
const continuation = /^(?:$|[-+*/%=<>&|^?:,.;)\]}([]|(?:in|instanceof)\b|from\s*['"])/;

/** Returns true if JavaScript would insert a semicolon between two lines without one. */
function endsLine(before: string, after: string): boolean {
  return !openEnd.test(before.trimEnd()) && !continuation.test(after.trimStart());
}

function rewritten(text: string, mask: string, line: number, masked: string, imports: string[]): string {
  if (/^import\b(?!\s*\()/.test(mask)) return importOf(text, imports);
  if (/^export\s*[{*]/.test(mask)) return lineBreaks(text);
  const exported = /^export\s+(?:default\s+)?/.exec(mask)?.[0].length ?? 0;
  const own = text.slice(exported);
  const ownMask = mask.slice(exported);
  const watched = watchedSubscriptions(own, ownMask, line);
  const declared = declaredNames(ownMask);
  if (declared !== undefined) {
    const seen = declared.map((name) => {
      const isUsed = masked.split(new RegExp(`(?<![\\w$.])${name.replaceAll('$', '\\$')}(?![\\w$])`)).length > 2;
      return ` playground.seen(${JSON.stringify(name)}, ${name}, ${line}, ${isUsed});`;
    });
    return watched + (watched.endsWith(';') || seen.length === 0 ? '' : ';') + seen.join('');
  }
  if (blockStart.test(ownMask) || /^(?:return|throw|do|;|break|continue|debugger)\b|^;/.test(ownMask)) return watched;
  const expression = watched.replace(/;$/, '');
  return `playground.shown(${JSON.stringify(labelOf(own))}, (${expression}), ${line});`;
}

/**
 * Returns the names that a declaration declares, or `undefined` if the statement is not a
 * declaration.
 */
function declaredNames(mask: string): readonly string[] | undefined {
  const declaration = /^(?:const|let|var)\s+(?:([\w$]+)|\{([^}]*)\}|\[([^\]]*)\])\s*=/.exec(mask);
  if (declaration === null) return /^(?:const|let|var)\b/.test(mask) ? [] : undefined;
  const [, single, fields, items] = declaration;
  if (single !== undefined) return [single];
  return (fields ?? items ?? '')
    .split(',')
    .map((part) => /([\w$]+)\s*(?:=.*)?$/.exec(part.trim())?.[1])
    .filter((name) => name !== undefined);
}

function importOf(text: string, imports: string[]): string {
  const [, clause = '', , specifier = ''] = /^import\s+(?:([^'"]*?)\s+from\s+)?(['"])([^'"]+)\2/.exec(text) ?? [];
  imports.push(specifier);
  const [, list = ''] = /\{([^}]*)\}/.exec(clause) ?? [];
  const used = list
    .split(',')
    .map((part) => part.trim().split(/\s+as\s+/)[0] ?? '')
    .filter((name) => name !== '');
  const source = `playground.module(${[specifier, ...used].map((text) => JSON.stringify(text)).join(', ')})`;
  const [, namespace] = /\*\s+as\s+([\w$]+)/.exec(clause) ?? [];
  const [, named] = /\{([^}]*)\}/.exec(clause) ?? [];
  const [, standard] = /^([\w$]+)/.exec(clause) ?? [];
  const parts = [
    ...(standard === undefined ? [] : [`{ default: ${standard} } = ${source}`]),
    ...(namespace === undefined ? [] : [`${namespace} = ${source}`]),
    ...(named === undefined
      ? []
      : [
          `{ ${named
            .trim()
            .replace(/\s+as\s+/g, ': ')
            .replace(/\s+/g, ' ')} } = ${source}`,
        ]),
  ];
  return (parts.length === 0 ? `${source};` : `const ${parts.join(', ')};`) + lineBreaks(text);
}

const lineBreaks = (text: string): string => text.replace(/[^\n]/g, '');

function watchedSubscriptions(text: string, mask: string, line: number): string {
  let watched = '';
  let end = 0;
  for (const { index } of mask.matchAll(/\.subscribe\(/g)) {
    const before = text.slice(0, index);
    const own = line + before.split('\n').length - 1;
    watched += `${text.slice(end, index)}.__at(${JSON.stringify(labelOf(observed(before, mask.slice(0, index))))}, ${own})`;
    end = index;
  }
  return watched + text.slice(end);
}

/**
 * Returns the expression before `.subscribe`. It is an approximation: the text after the last `=`,
 * `(`, `=>` or `;` at the same depth.
 */
function observed(text: string, mask: string): string {
  let depth = 0;
  for (let index = mask.length - 1; index >= 0; index -= 1) {
    const character = mask.charAt(index);
    if (')]}'.includes(character)) depth += 1;
    if ('([{'.includes(character)) depth -= 1;
    if (depth < 0 || (depth === 0 && /[=;,>]/.test(character))) return text.slice(index + 1);
  }
  return text;
}

function labelOf(text: string): string {
  const line = text
    .replace(/\/\/.*$/gm, '')
    .trim()
    .replace(/\s*\n\s*/g, '')
    .replace(/;$/, '');
  return line.length > 44 ? `${line.slice(0, 43)}…` : line;
}

const reserved = new Set(
  `arguments as async await break case catch class const continue debugger default delete do else enum export extends false finally for from
  function get if implements import in instanceof interface let new null of package private protected public return set static super switch this
  throw true try typeof undefined var void while with yield eval NaN Infinity`.split(/\s+/),
);

/**
 * Returns the code with comments and the contents of strings, templates and regular expressions
 * replaced by spaces.
 */
export function withoutTexts(code: string): string {
  const texts =
    /\/\/[^\n]*|\/\*[^]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|\$\{[^{}]*\}|[^`\\])*`|(?<=[=(,:;!&|?{}[]\s*)\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+\/[a-z]*/g;
  return code.replace(texts, (text) => {
    const isComment = text.startsWith('//') || text.startsWith('/*');
    const blank = (part: string): string => part.replace(/[^\n]/g, ' ');
    if (isComment) return blank(text);
    if (text.startsWith('`')) return template(text);
    // A literal is replaced by an empty value, so that a division or a call after it is still
    // recognised.
    return `${text.charAt(0) === '/' ? '0' : text.charAt(0)}${blank(text.slice(1, -1))}${text.charAt(0) === '/' ? ' ' : text.charAt(0)}`;
  });
}

/** Keeps the expressions in a template, because they may use names. */
function template(text: string): string {
  return text.replace(/\$\{([^{}]*)\}|[^\n]/g, (_part, expression: string | undefined) =>
    expression === undefined ? ' ' : `  ${expression} `,
  );
}
