const variable = /…|\b\d\d:\d\d:\d\d(?:\.\d{3})?\b/g;

/**
 * Returns the first line of `expected` that `output` lacks, or `undefined` if it has all of them in
 * this order. The output may have further lines in between. In an expected line, `…` matches any
 * text, and a time of day matches any time of day.
 */
export function missingLine(output: string, expected: string): string | undefined {
  const lines = output.split('\n');
  return expected
    .split('\n')
    .filter((line) => line.trim() !== '')
    .find((line) => {
      const pattern = new RegExp(`^${patternOf(line.trimEnd())}$`);
      const found = lines.findIndex((each) => pattern.test(each.trimEnd()));
      lines.splice(0, found + 1);
      return found === -1;
    });
}

function patternOf(line: string): string {
  const fixed = line.split(variable).map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`));
  const free = [...line.matchAll(variable)].map(([text]) =>
    text === '…' ? '.*' : String.raw`\d\d:\d\d:\d\d(?:\.\d{3})?`,
  );
  return fixed.map((part, index) => part + (free[index] ?? '')).join('');
}
