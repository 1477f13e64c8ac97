/** The names that an entry point exports below one of its comments. */
export interface ExportGroup {
  /** The comment up to its first colon; `''` for names above the first comment. */
  readonly title: string;
  /** The names in the order of the file. */
  readonly names: readonly string[];
  /** The files whose names the entry point exports all, such as `./kubernetes/everyday.js`. */
  readonly files: readonly string[];
}

/**
 * Returns the groups of an entry point: a comment `// Title: text` begins a group. The group with
 * `informer` comes first, because a reader begins there.
 *
 * @param source the text of the file of the entry point
 */
export function exportGroups(source: string): readonly ExportGroup[] {
  const groups: { title: string; names: string[]; files: string[] }[] = [{ title: '', names: [], files: [] }];
  let wasComment = false;
  const withoutDocs = source.replace(/\/\*\*[^]*?\*\//g, '');
  for (const [statement] of withoutDocs.matchAll(/^\/\/ .*$|^export [^;]*;/gm)) {
    const isComment = statement.startsWith('//');
    const current = groups.at(-1);
    if (isComment && !wasComment) {
      groups.push({ title: titleOf(statement.slice(3)), names: [], files: [] });
    } else if (!isComment && current !== undefined) {
      const [, file] = /^export \* from '([^']*)'/.exec(statement) ?? [];
      if (file !== undefined) current.files.push(file);
      current.names.push(...namesOf(statement));
    }
    wasComment = isComment;
  }
  const used = groups.filter(({ names, files }) => names.length + files.length > 0);
  const isFirst = ({ names }: ExportGroup): number => (names.includes('informer') ? 0 : 1);
  return used.sort((one, other) => isFirst(one) - isFirst(other));
}

function titleOf(comment: string): string {
  return comment.replace(/:.*$/, '').replace(/\.$/, '');
}

/** Returns the names of `export { a, type B, c as d } from …` and `export * as e from …`. */
function namesOf(statement: string): readonly string[] {
  const [, namespace] = /^export \* as ([\w$]+)/.exec(statement) ?? [];
  if (namespace !== undefined) return [namespace];
  const [, list = ''] = /\{([^}]*)\}/.exec(statement) ?? [];
  return list
    .replace(/\/\/.*$/gm, '')
    .split(',')
    .map((part) => /([\w$]+)\s*$/.exec(part.trim())?.[1] ?? '')
    .filter((name) => name !== '');
}
