import ts from 'typescript';

/** The lines of a file that are not empty. */
interface LineCounts {
  /** Lines with at least one token. */
  readonly code: number;
  /** Lines with nothing but a comment. */
  readonly comments: number;
}

/** Counts the lines of a TypeScript file. A line with code and a comment is a line of code. */
export function countLines(path: string, text: string): LineCounts {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const code = new Set<number>();
  const visit = (node: ts.Node): void => {
    if (ts.isJSDoc(node)) return;
    const children = node.getChildren(file);
    children.forEach(visit);
    if (children.length > 0 || node.kind === ts.SyntaxKind.EndOfFileToken || node.getWidth(file) === 0) return;
    const last = file.getLineAndCharacterOfPosition(node.getEnd()).line;
    for (let line = file.getLineAndCharacterOfPosition(node.getStart(file)).line; line <= last; line++) code.add(line);
  };
  visit(file);
  const lines = text.split('\n').filter((line, at) => line.trim() !== '' || code.has(at)).length;
  return { code: code.size, comments: lines - code.size };
}
