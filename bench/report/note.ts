/** Of the section of a scenario, which is a second one. */
const LEVEL = 3;
const TITLE = 'What was tried';

/**
 * A note as a section of the page: as it was written, with its headings put below the one of its scenario.
 *
 * A note that does not begin with a heading gets one.
 */
export function renderNote(note: string): string {
  const lines = note.trim().split('\n');
  const first = levelOf(lines[0] ?? '');
  return first === 0 ? renderNote(`# ${TITLE}\n\n${note.trim()}`) : demote(lines, LEVEL - first);
}

function demote(lines: readonly string[], by: number): string {
  let isCode = false;
  return lines
    .map((line) => {
      if (/^ *(```|~~~)/.test(line)) isCode = !isCode;
      const level = isCode ? 0 : levelOf(line);
      return level === 0 ? line : '#'.repeat(Math.max(LEVEL, level + by)) + line.slice(level);
    })
    .join('\n');
}

/** 0 for what is no heading. */
function levelOf(line: string): number {
  return /^(#{1,6}) /.exec(line)?.[1]?.length ?? 0;
}
