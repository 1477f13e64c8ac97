import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { posix } from 'node:path';
import { parseAst } from 'rollup/parseAst';

/**
 * The base path with which VitePress builds the site. After `makeRelative`, no file contains it.
 */
export const placeholderBase = '/__site_base__/';

/**
 * Rewrites a built site so that it works from any path of any host.
 *
 * - HTML: links, scripts, styles and pictures become relative. A script at the start of the page
 *   finds the path of the site.
 * - JavaScript: that script completes, at run time, each text that contains the placeholder.
 * - CSS: URLs become relative to the style sheet.
 */
export function makeRelative(folder: string): void {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((each) => /\.(html|js|css)$/.test(each))) {
    const path = `${folder}/${file}`;
    const text = readFileSync(path, 'utf8');
    if (!text.includes(placeholderBase)) continue;
    const root = posix.relative(posix.dirname(`/${file}`), '/');
    const rewritten = rewriteFile(file, text, root === '' ? './' : `${root}/`);
    if (rewritten.includes(placeholderBase)) throw new Error(`${file} still contains ${placeholderBase}`);
    writeFileSync(path, rewritten);
  }
}

function rewriteFile(file: string, text: string, root: string): string {
  try {
    return rewrite(file, text, root);
  } catch (error) {
    throw new Error(`${file} has a script that cannot be read`, { cause: error });
  }
}

function rewrite(file: string, text: string, root: string): string {
  if (file.endsWith('.css')) return text.replaceAll(placeholderBase, root);
  return file.endsWith('.html') ? relativeHtml(text, root) : relativeScript(text);
}

/**
 * `__siteBase` is the path from which the site is served. `__atSiteBase` replaces the placeholder
 * in a text with it.
 */
const firstScript = (root: string): string =>
  `<script>{const base=new URL("${root}",location.href).pathname;` +
  'Object.assign(globalThis,{__siteBase:base,__atSiteBase:(text)=>text.split("\\x2f__site_base__/").join(base)})}</script>';

function relativeHtml(html: string, root: string): string {
  return html
    .replace(
      /(<script(?![^>]*json)[^>]*>)([^]*?)(<\/script>)/g,
      (_, open: string, code: string, close: string) => open + relativeScript(code) + close,
    )
    .replace('<head>', `<head>${firstScript(root)}`)
    .replace(/"\/__site_base__\/([^"]*)"/g, (_, path: string) => {
      const [, file = '', rest = ''] = /^([^#?]*)(.*)$/.exec(path) ?? [];
      // The name index.html is added, because a server shows the index of a folder, but a file
      // manager does not.
      return `"${root}${file}${file === '' || file.endsWith('/') ? 'index.html' : ''}${rest}"`;
    })
    .replaceAll(placeholderBase, root);
}

interface Literal {
  readonly start: number;
  readonly end: number;
  readonly isTemplate: boolean;
}

function relativeScript(code: string): string {
  if (!code.includes(placeholderBase)) return code;
  const literals: Literal[] = [];
  collect(parseAst(code), code, literals);
  return literals
    .sort((one, other) => other.start - one.start)
    .reduce((text, { start, end, isTemplate }) => {
      const literal = text.slice(start, end);
      // The space is needed if a keyword such as `return` is directly before the text.
      const completed = isTemplate
        ? literal.replaceAll(placeholderBase, '${globalThis.__siteBase}')
        : ` globalThis.__atSiteBase(${literal.replaceAll(placeholderBase, '\\x2f__site_base__/')})`;
      return text.slice(0, start) + completed + text.slice(end);
    }, code);
}

/** Finds the texts that contain the placeholder. */
function collect(node: unknown, code: string, literals: Literal[]): void {
  if (typeof node !== 'object' || node === null) return;
  const { type, start, end } = node as { readonly type?: string; readonly start: number; readonly end: number };
  const isTemplate = type === 'TemplateElement';
  if ((type === 'Literal' || isTemplate) && code.slice(start, end).includes(placeholderBase))
    literals.push({ start, end, isTemplate });
  for (const value of Object.values(node)) collect(value, code, literals);
}

/**
 * Makes a built page load chunks in parallel with its own scripts, not after them. Throws if there
 * is no such chunk.
 *
 * @param chunks names of chunks without the hash, for example `host`
 */
export function preload(folder: string, page: string, chunks: readonly string[]): void {
  const files = readdirSync(`${folder}/assets/chunks`);
  const links = chunks.map((chunk) => {
    const file = files.find((each) => new RegExp(`^${chunk}\\.[\\w-]+\\.js$`).test(each));
    if (file === undefined) throw new Error(`there is no chunk ${chunk} to load with ${page}`);
    return `<link rel="modulepreload" href="${placeholderBase}assets/chunks/${file}">`;
  });
  const html = readFileSync(`${folder}/${page}`, 'utf8');
  writeFileSync(`${folder}/${page}`, html.replace('</head>', `${links.join('')}</head>`));
}
