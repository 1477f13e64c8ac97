/*
 * Sorts imports: packages, then modules of outer folders, then modules of the same folder or of
 * inner folders, each group by path.
 */
export const importOrder = {
  meta: { fixable: 'code' },
  create: (context) => ({
    Program({ body }) {
      const { text } = context.sourceCode;
      const imports = body.filter(({ type }) => type === 'ImportDeclaration');
      // An import without names has an effect, so it keeps its place and ends a block.
      const blocks = [[]];
      for (const each of imports) {
        if (each.specifiers.length === 0) blocks.push([]);
        else blocks.at(-1).push(each);
      }
      for (const block of blocks) {
        const sorted = block.toSorted((one, other) => compare(one.source.value, other.source.value));
        const index = block.findIndex((each, at) => each !== sorted[at]);
        if (index === -1) continue;
        const hasOnlyImports = !/\S/.test(textBetween(text, block));
        context.report({
          node: block[index],
          message: `Imports are sorted: ${sorted[index].source.value} comes before ${block[index].source.value}.`,
          fix: (fixer) =>
            hasOnlyImports
              ? block.map((each, at) => fixer.replaceText(each, context.sourceCode.getText(sorted[at])))
              : null,
        });
      }
      for (const [at, each] of imports.entries()) {
        const next = imports[at + 1];
        if (next !== undefined && /^\s*\n\s*\n\s*$/.test(text.slice(each.range[1], next.range[0])))
          context.report({
            node: next,
            message: 'There is no empty line between imports.',
            fix: (fixer) => fixer.replaceTextRange([each.range[1], next.range[0]], '\n'),
          });
      }
    },
  }),
};

function textBetween(text, block) {
  return block
    .slice(1)
    .map((each, at) => text.slice(block[at].range[1], each.range[0]))
    .join('');
}

function groupOf(path) {
  if (/^\.\.(?:\/|$)/.test(path)) return 1;
  return path.startsWith('.') ? 2 : 0;
}

/** Compares group by group, then folder by folder, so that a folder comes before its modules. */
function compare(one, other) {
  if (groupOf(one) !== groupOf(other)) return groupOf(one) - groupOf(other);
  const [parts, others] = [one.split('/'), other.split('/')];
  for (const [at, part] of parts.slice(0, others.length).entries()) {
    if (part !== others[at]) return part < others[at] ? -1 : 1;
  }
  return parts.length - others.length;
}
