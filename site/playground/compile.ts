import { transform } from 'sucrase';

/** The code cannot be parsed. */
export class CodeSyntaxError extends Error {
  override readonly name = 'CodeSyntaxError';
  constructor(
    message: string,
    /** The line of the mistake, counted from 1. */
    readonly line: number,
    /** The column of the mistake, counted from 1. */
    readonly column: number,
  ) {
    super(message);
  }
}

/**
 * Returns TypeScript code without its types. Line numbers do not change.
 *
 * @throws CodeSyntaxError if the code cannot be parsed
 */
export function compile(code: string): string {
  try {
    return transform(code, { transforms: ['typescript'], disableESTransforms: true }).code;
  } catch (error) {
    const [, text, line, column] =
      /^(?:Error transforming [^:]*: )?(?:SyntaxError: )?(.*) \((\d+):(\d+)\)/.exec(
        String(error).replace(/^\w*Error: /, ''),
      ) ?? [];
    if (text === undefined) throw error;
    throw new CodeSyntaxError(text, Number(line), Number(column));
  }
}
