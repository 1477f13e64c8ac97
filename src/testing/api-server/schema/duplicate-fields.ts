/** What a field of a JSON text is, beside its value. */
export interface FieldProblemInText {
  readonly path: string;
  readonly problem: 'unknown' | 'duplicate';
}

interface Level {
  readonly path: string;
  /** The fields so far; undefined in a list. */
  readonly fields: Set<string> | undefined;
  index: number;
  /** The field that is being read. */
  field: string;
}

const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]/gs;

/**
 * Finds fields that a JSON text has twice, which `JSON.parse` overlooks, and puts them in order with those that are unknown.
 *
 * @param text valid JSON
 * @param unknown the paths of fields that the schema does not have
 */
export function fieldProblems(text: string, unknown: ReadonlySet<string>): readonly FieldProblemInText[] {
  const problems: FieldProblemInText[] = [];
  const levels: Level[] = [];
  /** The depth of the unknown field that is being skipped: what it holds does not matter. */
  let skipped = Infinity;
  let key: string | undefined;
  for (const [token] of text.matchAll(tokens)) {
    const level = levels.at(-1);
    if (token === '{' || token === '[') {
      levels.push({ path: pathIn(level), fields: token === '{' ? new Set() : undefined, index: 0, field: '' });
    } else if (token === '}' || token === ']') {
      levels.pop();
    } else if (token === ',') {
      if (level !== undefined) level.index += 1;
      if (levels.length <= skipped) skipped = Infinity;
    } else if (token !== ':') {
      key = token;
    } else if (level?.fields !== undefined && key !== undefined) {
      level.field = JSON.parse(key) as string;
      if (levels.length > skipped) continue;
      skipped = Infinity;
      const path = unknown.size === 0 ? '' : pathIn(level);
      if (unknown.has(path)) {
        skipped = levels.length;
        if (!level.fields.has(level.field)) problems.push({ path, problem: 'unknown' });
      } else if (level.fields.has(level.field)) {
        problems.push({ path: pathIn(level), problem: 'duplicate' });
      }
      level.fields.add(level.field);
    }
  }
  return problems;
}

function pathIn(level: Level | undefined): string {
  if (level === undefined) return '';
  if (level.fields === undefined) return `${level.path}[${level.index}]`;
  return level.path === '' ? level.field : `${level.path}.${level.field}`;
}
