import { createInterface } from 'node:readline';

/** Returns the lines that a server prints, up to its address, which is the last one. */
export async function linesToAddress(
  output: NodeJS.ReadableStream,
  seen: (line: string) => void = () => undefined,
): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of createInterface({ input: output })) {
    lines.push(line);
    seen(line);
    if (line.startsWith('http://')) return lines;
  }
  throw new Error(`it ended without an address: ${lines.join('\n')}`);
}
