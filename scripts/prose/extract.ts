import ts from 'typescript';

/**
 * Returns the prose of a TypeScript file: its comments, the names of its tests, and in src its
 * messages. Everything else becomes spaces, so that a word keeps its line and its column.
 */
export function proseOf(path: string, text: string): string {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const prose = new Map<number, string>();
  const addComments = (ranges: readonly ts.CommentRange[] = []): void => {
    for (const { pos, end } of ranges) prose.set(pos, withoutCode(text.slice(pos, end)));
  };
  const addText = (node: ts.Node | undefined): void => {
    if (node === undefined || !isText(node)) return;
    const start = node.getStart(source);
    prose.set(start, withoutPlaceholders(text.slice(start, node.end)));
  };
  const visit = (node: ts.Node): void => {
    if (ts.isJsxText(node)) return;
    addComments(ts.getLeadingCommentRanges(text, node.pos));
    addComments(ts.getLeadingCommentRanges(text, node.end));
    addComments(ts.getTrailingCommentRanges(text, node.end));
    if (ts.isCallExpression(node) && isTest(node.expression)) addText(node.arguments[0]);
    if (path.startsWith('src/') && isText(node) && isSentence(node.getText(source))) addText(node);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return placed(text, prose);
}

/** Returns a text that has each piece of prose at its original place, and spaces elsewhere. */
function placed(text: string, prose: ReadonlyMap<number, string>): string {
  let result = '';
  for (const [start, piece] of [...prose].sort(([one], [other]) => one - other)) {
    if (start < result.length) continue;
    result += blank(text.slice(result.length, start)) + piece;
  }
  return result.replace(/[ \t]+$/gm, '');
}

const blank = (text: string): string => text.replace(/\S/g, ' ');

function withoutCode(comment: string): string {
  return comment
    .replace(/```[^]*?```/g, blank)
    .replace(/@example\b[^]*?(?=\n\s*\* @|\*\/$)/g, blank)
    .replace(/`[^`]*`|\{@link[^}]*\}|https?:\S+/g, blank)
    .replace(/^\s*(?:\/\*\*?|\*\/|\*|\/\/)|\*\/$/gm, blank);
}

/** Blanks the parts of a text that are not prose: inserted values, code and addresses. */
function withoutPlaceholders(text: string): string {
  return text.replace(/\$\{[^}]*\}|`[^`]+`(?=.)|https?:\S+/g, blank).replace(/^['"`]|['"`]$/g, ' ');
}

const isText = (node: ts.Node): boolean => ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);

const isSentence = (text: string): boolean => /\p{L}{2,} \p{L}+ \p{L}+/u.test(text);

/** Returns true for `it`, `test.each(…)`, `describe.each(…)` and the like. */
function isTest(callee: ts.Expression): boolean {
  if (ts.isIdentifier(callee)) return /^(?:it|test|describe)$/.test(callee.text);
  if (ts.isPropertyAccessExpression(callee) || ts.isCallExpression(callee)) return isTest(callee.expression);
  return ts.isTaggedTemplateExpression(callee) && isTest(callee.tag);
}
