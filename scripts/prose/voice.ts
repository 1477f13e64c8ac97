import { type TextlintRuleModule } from '@textlint/types';
import { dialect } from './word-list.js';

/** A textlint rule that reports words and phrases of the word list outside code. */
export const voice: TextlintRuleModule = ({ Syntax, RuleError, report, getSource, locator }) => {
  const check = (block: Block): void => {
    const prose = withoutCode(block, getSource(block as never));
    for (const { pattern, instead } of dialect) {
      for (const { 0: found, index } of prose.matchAll(pattern)) {
        const said = found.replace(/\s+/g, ' ');
        const error = new RuleError(`"${said}": ${instead}`, { padding: locator.range([index, index + found.length]) });
        report(block as never, error);
      }
    }
  };
  return { [Syntax.Paragraph]: check, [Syntax.Header]: check, [Syntax.TableCell]: check };
};

/** The properties of a node of the syntax tree that the rule reads. */
interface Block {
  readonly type: string;
  readonly range: readonly [number, number];
  readonly children?: readonly Block[];
}

const inCode = new Set(['Code', 'Html', 'Image']);

/** Returns the text of a block with its code replaced by spaces of the same length. */
function withoutCode(block: Block, text: string): string {
  const codes = (node: Block): readonly Block[] =>
    inCode.has(node.type) ? [node] : (node.children ?? []).flatMap(codes);
  let prose = text;
  for (const { range } of codes(block)) {
    const [start, end] = [range[0] - block.range[0], range[1] - block.range[0]];
    prose = prose.slice(0, start) + ' '.repeat(end - start) + prose.slice(end);
  }
  return prose.replace(/\]\([^)]*\)/g, (link) => ' '.repeat(link.length));
}
