import { countLines } from '../../shape/lines.js';

describe('the lines of a file', () => {
  it('are code if they have a token, and a comment if they have nothing else', () => {
    const text = [
      '/** Adds one. */',
      'export function next(n: number): number {',
      '  // exact',
      '  return n + 1; // !',
      '}',
    ];
    expect(countLines('a.ts', text.join('\n'))).toEqual({ code: 3, comments: 2 });
  });

  it('are neither if they are empty, except inside of a text', () => {
    expect(countLines('a.ts', 'const a = 1;\n\n  \nconst b = `\n\n// text\n`;\n')).toEqual({ code: 5, comments: 0 });
  });

  it('count each line of a comment, and of an element of JSX', () => {
    const text = '/*\n * A list.\n */\nexport const list = (\n  <ul>\n    <li>one</li>\n  </ul>\n);\n';
    expect(countLines('a.tsx', text)).toEqual({ code: 5, comments: 3 });
  });
});
