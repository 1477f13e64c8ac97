/** A part of a YAML text that can be folded: everything below one line. */
export interface YamlFold {
  /**
   * The line that stays visible. Folding hides the lines after it, up to but not including `end`.
   */
  readonly start: number;
  readonly end: number;
  /**
   * The keys that lead to the part: `status`, `spec/containers/0`. The path of a part does not
   * change in the next version of the text.
   */
  readonly path: string;
}

/**
 * Returns the parts of a text that can be folded, by their first line. Assumes that list items have
 * the indentation of their key.
 */
export function yamlFolds(lines: readonly string[]): ReadonlyMap<number, YamlFold> {
  const folds = new Map<number, YamlFold>();
  const open: { readonly indent: number; readonly start: number; readonly path: string; hasLines: boolean }[] = [];
  const itemsAt = new Map<number, number>();

  function close(until: number, end: number): void {
    for (let top = open.at(-1); top && top.indent >= until; top = open.at(-1)) {
      open.pop();
      if (top.hasLines) folds.set(top.start, { start: top.start, end, path: top.path });
    }
  }

  for (const [at, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const spaces = line.length - line.trimStart().length;
    const isItem = line.startsWith('- ', spaces);
    // An item is one level deeper than the key of its list, although both have the same
    // indentation.
    const indent = 2 * spaces + (isItem ? 1 : 0);
    close(indent, at);
    const parent = open.at(-1);
    const index = isItem ? (itemsAt.get(parent?.start ?? -1) ?? 0) : 0;
    if (isItem) itemsAt.set(parent?.start ?? -1, index + 1);
    const key = isItem ? String(index) : (/^"?([^":]*)/.exec(line.trimStart())?.[1] ?? '');
    if (parent) parent.hasLines = true;
    open.push({ indent, start: at, path: parent ? `${parent.path}/${key}` : key, hasLines: false });
  }
  close(-1, lines.length);
  return folds;
}

/** Returns the numbers of the lines that are visible while some parts are folded. */
export function visibleLines(
  count: number,
  folds: ReadonlyMap<number, YamlFold>,
  isFolded: (path: string) => boolean,
): readonly number[] {
  const visible: number[] = [];
  for (let line = 0; line < count;) {
    visible.push(line);
    const fold = folds.get(line);
    line = fold && isFolded(fold.path) ? fold.end : line + 1;
  }
  return visible;
}

/** Returns the paths that must be unfolded to make a line visible. */
export function pathsAround(line: number, folds: ReadonlyMap<number, YamlFold>): readonly string[] {
  return [...folds.values()].filter(({ start, end }) => start < line && line < end).map(({ path }) => path);
}
