import type { LogFields, Logger } from 'rx-informers/controller';

/** One line of a log, with the time of its writing. */
export interface Line extends LogFields {
  readonly level: string;
  readonly message: string;
  readonly at: number;
}

/** Returns a logger that keeps its lines, each with the time of its writing. */
export function linesOf(now: () => number): { readonly lines: Line[]; readonly logger: Logger } {
  const lines: Line[] = [];
  const write = (level: string) => (fields: LogFields, message: string) => {
    lines.push({ level, at: now(), message, ...fields });
  };
  return {
    lines,
    logger: { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') },
  };
}

/** Returns each line as one text: `0 info: became leader`. */
export const messages = ({ lines }: { readonly lines: readonly Line[] }): readonly string[] =>
  lines.map(({ at, level, message }) => `${at} ${level}: ${message}`);
