import { readFileSync } from 'node:fs';
import type { MarkdownRenderer } from 'vitepress';
import { playgroundFragment } from '../../scripts/docs/playground-link.js';
import { blocksOf, whyNotRun } from './blocks.js';
import { compile } from './compile.js';

/**
 * Turns TypeScript blocks of the docs into blocks that the reader can run. If a block cannot run,
 * the reason is shown below it. A block with ` ```ts run ` runs when its page opens.
 */
export function playgroundMarkdown(md: MarkdownRenderer, docs: string): void {
  linksToPrograms(md, docs);
  const { fence } = md.renderer.rules;
  if (fence === undefined) throw new Error('VitePress renders no fences');
  md.renderer.rules.fence = (tokens, index, options, env: { relativePath?: string }, self) => {
    const token = tokens[index];
    const [, language, info = ''] = /^(tsx?)(?: +(.*))?$/.exec(token?.info.trim() ?? '') ?? [];
    // The landing page has a live query of its own.
    const isStill = /^(?:index\.md$|reference\/api\/)/.test(env.relativePath ?? '');
    if (token === undefined || language === undefined) return fence(tokens, index, options, env, self);
    token.info = language;
    const html = fence(tokens, index, options, env, self);
    if (isStill) return html;
    const reason = whyNotRun({ code: token.content, language, info });
    if (reason !== undefined)
      return `${html}<p class="pg-reason">Does not run in this page: ${md.utils.escapeHtml(reason)}.</p>\n`;
    const javascript = compile(token.content);
    const own = javascript === token.content ? '' : ` javascript="${encodeURIComponent(javascript)}"`;
    const isFirst = info === 'run' ? ' runs' : '';
    return `<Playground${own}${isFirst}>${html}</Playground>\n`;
  };
}

/**
 * Makes a link `playground.md#program=cookbook/crashloop` open the playground with the first program
 * of that page.
 */
function linksToPrograms(md: MarkdownRenderer, docs: string): void {
  md.core.ruler.push('links-to-programs', ({ tokens }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.type === 'link_open' ? (token.attrGet('href') ?? '') : '';
      const [, page] = /(?:^|\/)playground\.(?:md|html)#program=(.+)$/.exec(href) ?? [];
      if (page === undefined) continue;
      const [block] = blocksOf(readFileSync(`${docs}/${page}.md`, 'utf8'));
      if (block === undefined) throw new Error(`docs/${page}.md has no program for the playground`);
      token.attrSet('href', `/playground.html${playgroundFragment(block.code)}`);
    }
  });
}
