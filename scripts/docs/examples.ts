/**
 * A piece of code that the documentation shows. It must compile against the public entry points.
 */
export interface Example {
  /** The path, relative to the project. */
  readonly file: string;
  /** The line of the file on which the code begins, counted from 1. */
  readonly line: number;
  /** The number of columns before the code in that file. */
  readonly indent: number;
  readonly code: string;
  /** True if the code may contain JSX. */
  readonly isTsx: boolean;
  /**
   * The name of the file in the reader's project, if the first line of the code names one. Other
   * code of that page can import it.
   */
  readonly name?: string;
}

/**
 * Returns the ```ts and ```tsx blocks of a Markdown file. Blocks in other languages are not
 * compiled.
 */
export function examplesOfMarkdown(file: string, text: string): readonly Example[] {
  return fencedBlocks(text.split('\n')).map(({ start, end, isTsx, lines }) => {
    const code = lines.slice(start, end).join('\n');
    const [, name] = /^\/\/ (\S+\.tsx?)\n/.exec(code) ?? [];
    return { file, line: start + 1, indent: 0, code, isTsx, ...(name === undefined ? {} : { name }) };
  });
}

/**
 * Returns every `@example` in the doc comments of a source file: the TypeScript blocks after the
 * tag, or all text after the tag if it has no such block.
 */
export function examplesOfSource(file: string, text: string): readonly Example[] {
  return [...text.matchAll(/^( *)\/\*\*\n[^]*?\*\/$/gm)].flatMap((comment) => {
    const [source, indentation = ''] = comment;
    const firstLine = text.slice(0, comment.index).split('\n').length;
    const lines = source.split('\n').map((line) => line.replace(/^ *\*(?!\/) ?/, ''));
    return examplesOfComment(lines).map(({ start, end, isTsx }) => ({
      file,
      line: firstLine + start,
      indent: indentation.length + ' * '.length,
      code: lines.slice(start, end).join('\n'),
      isTsx,
    }));
  });
}

interface Block {
  readonly start: number;
  readonly end: number;
  readonly isTsx: boolean;
}

function examplesOfComment(lines: readonly string[]): readonly Block[] {
  return lines.flatMap((line, index) => {
    if (!line.startsWith('@example')) return [];
    const start = index + 1;
    const next = lines.findIndex((other, position) => position >= start && /^(@\w| *\*\/)/.test(other));
    const end = next < 0 ? lines.length : next;
    const fenced = fencedBlocks(lines.slice(start, end));
    return fenced.length > 0
      ? fenced.map(({ isTsx, ...block }) => ({ start: start + block.start, end: start + block.end, isTsx }))
      : [{ start, end, isTsx: false }];
  });
}

function fencedBlocks(lines: readonly string[]): readonly (Block & { readonly lines: readonly string[] })[] {
  return lines.flatMap((line, index) => {
    // The words after the language tell the site how to treat the block.
    const fence = /^ *```(tsx?)(?: .*)?$/.exec(line);
    if (fence === null) return [];
    const end = lines.findIndex((other, position) => position > index && other.trim() === '```');
    if (end < 0) throw new Error(`a \`\`\`${fence[1] ?? ''} block is never closed: ${lines[index + 1] ?? ''}`);
    return [{ start: index + 1, end, isTsx: fence[1] === 'tsx', lines }];
  });
}
