import { formatLabelSelector, matchesLabelSelector, type Labels } from 'rx-informers/resources';
import { wordsTest } from './text.js';

/** A typed filter. */
export interface Typed {
  readonly words: string;
  /** The label selector, as the API server accepts it; `undefined` if there is none, or no valid one. */
  readonly selector: string | undefined;
  /** The reason why what was typed is not a label selector. */
  readonly problem: string | undefined;
}

const option = /(?:^|\s)(?:-l|--selector)(?:=|\s+|$)/;
/** A requirement that cannot be a word: `a=b`, `a!=b`, `a>1`, `a in (b)`, `!a`. */
const requirement = /(?:^|\s)(?:![\w./-]|[\w./,-]+\s*(?:[=<>]|!=)|[\w./,-]+\s+(?:not)?in\s*\()/;

/**
 * Splits a typed text into words and a label selector.
 *
 * | text | words | selector |
 * | --- | --- | --- |
 * | `web n1` | `web n1` | |
 * | `component=worker,tier!=db` | | `component=worker,tier!=db` |
 * | `web env in (a, b)` | `web` | `env in (a,b)` |
 * | `web -l canary` | `web` | `canary` |
 *
 * A text that is no valid selector selects nothing away: the result has its problem.
 */
export function typedOf(text: string): Typed {
  const found = option.exec(text) ?? requirement.exec(text);
  if (found === null) return { words: text, selector: undefined, problem: undefined };
  const [start] = found;
  const before = text.slice(0, found.index);
  const isOption = option.test(start);
  // In `canary, env=a`, the first part is a requirement, too.
  const isContinued = !isOption && before.trimEnd().endsWith(',');
  const words = isContinued ? '' : before.trim();
  const typed = isContinued ? text : text.slice(found.index + (isOption ? start.length : 0));
  try {
    const selector = formatLabelSelector(typed);
    return { words, selector: selector === '' ? undefined : selector, problem: undefined };
  } catch (error) {
    return { words, selector: undefined, problem: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Returns a function that checks whether an object has all typed words in its text, and labels that
 * the typed selector matches. Returns `undefined` if every object passes.
 */
export function typedTest(typed: string): ((textOf: () => string, labels: Labels | undefined) => boolean) | undefined {
  const { words, selector } = typedOf(typed);
  const hasWords = wordsTest(words);
  const matches = selector === undefined ? undefined : matchesLabelSelector(selector);
  if (hasWords === undefined && matches === undefined) return undefined;
  return (textOf, labels) => matches?.(labels) !== false && hasWords?.(textOf()) !== false;
}
