/**
 * Reports lines of comments that are longer than 100 columns. Rows of tables, lines of examples and
 * addresses may be longer, because they cannot be wrapped.
 */
export const commentWidth = {
  create: (context) => ({
    Program() {
      const { lines } = context.sourceCode;
      for (const { loc } of context.sourceCode.getAllComments())
        for (let line = loc.start.line; line <= loc.end.line; line++) {
          const text = lines[line - 1];
          if (text.length <= 100 || /^\s*\* (?:\|| {2,})|:\/\//.test(text)) continue;
          const before = line === loc.start.line ? text.slice(0, loc.start.column) : '';
          const after = line === loc.end.line ? text.slice(loc.end.column) : '';
          if (/\S/.test(before + after)) continue;
          context.report({
            loc: { start: { line, column: 0 }, end: { line, column: text.length } },
            message: 'A line of a comment has at most 100 columns.',
          });
        }
    },
  }),
};
