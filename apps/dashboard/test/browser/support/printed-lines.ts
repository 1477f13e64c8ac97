import { createInterface } from 'node:readline';

/** Returns the lines that a server prints, up to the one with its address. */
export async function linesToAddress(
  output: NodeJS.ReadableStream,
  isAddress: (line: string) => boolean = (line) => line.startsWith('http://'),
): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of createInterface({ input: output })) {
    lines.push(line);
    if (isAddress(line)) return lines;
  }
  throw new Error(`it ended without an address: ${lines.join('\n')}`);
}
