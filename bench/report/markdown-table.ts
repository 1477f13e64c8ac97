export type Alignment = 'left' | 'right';

/** A table of plain cells; a bar within one does not end it. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  alignment: readonly Alignment[] = [],
): string {
  const rule = head.map((_, column) => (alignment[column] === 'right' ? '---:' : '---'));
  return [head, rule, ...rows].map((cells) => `| ${cells.map(escapeBars).join(' | ')} |`).join('\n');
}

function escapeBars(cell: string): string {
  return cell.replaceAll('|', '\\|');
}
