import { invalidSelectorError } from './errors.js';
import {
  keyProblem,
  requirementProblem,
  type SelectorOperator,
  type SelectorRequirement,
} from './selector-requirement.js';

/**
 * Parses the text of a label selector by the rules of the API server. Pass the result as `{
 * matchExpressions }` to use it as a selector.
 *
 * | text | requirement |
 * | --- | --- |
 * | `app=web`, `app==web`, `app in (web)` | `In` |
 * | `app!=web`, `app notin (web,api)` | `NotIn`, which also matches objects without this label |
 * | `app`, `!app` | `Exists`, `DoesNotExist` |
 * | `replicas>3`, `replicas<10` | `Gt`, `Lt`, which match integers only |
 * | `a=1,b` | the two requirements `a=1` and `b` |
 * | only whitespace | no requirement: every object matches |
 *
 * **Errors**: `RXI_INVALID_SELECTOR` with the column of the unexpected text, or of an invalid label
 * key or value.
 *
 * @param text a selector as for `kubectl -l`
 * @returns the requirements, in the order of the text
 * @throws `RXI_INVALID_SELECTOR` with the column of the problem
 * @example
 * parseLabelSelector('app in (web, api), !canary')
 */
export function parseLabelSelector(text: string): readonly SelectorRequirement[] {
  const tokens = new Tokens(text);
  const requirements: SelectorRequirement[] = [];
  if (tokens.peek().text === END) return requirements;
  do requirements.push(parseRequirement(tokens));
  while (tokens.take(',', END).text === ',');
  return requirements;
}

/** A word is neither space nor punctuation. `in` and `notin` are operators only after a key. */
interface Token {
  /** The text of the token; `''` at the end of the selector. */
  readonly text: string;
  readonly column: number;
  readonly isWord: boolean;
}

const END = '';

class Tokens {
  readonly #tokens: readonly Token[];
  readonly #end: Token;
  #position = 0;

  constructor(readonly selector: string) {
    const found = selector.matchAll(/==|!=|[=!<>(),]|[^ \t\r\n=!<>(),]+/g);
    this.#tokens = Array.from(found, ({ 0: text, index }) => ({
      text,
      column: index + 1,
      isWord: !/^[=!<>(),]/.test(text),
    }));
    this.#end = { text: END, column: selector.length + 1, isWord: false };
  }

  peek(): Token {
    return this.#tokens[this.#position] ?? this.#end;
  }

  next(): Token {
    const token = this.peek();
    this.#position++;
    return token;
  }

  word(expected: string): Token {
    const token = this.next();
    return token.isWord ? token : this.refuse(token, expected);
  }

  take(...texts: readonly string[]): Token {
    const token = this.next();
    return texts.includes(token.text) ? token : this.refuse(token, texts.map(describeToken).join(' or '));
  }

  refuse(token: Token, expected: string): never {
    this.fail(`found ${describeToken(token.text)}, expected ${expected}`, token.column);
  }

  fail(problem: string, column: number): never {
    throw invalidSelectorError(this.selector, problem, column);
  }
}

function describeToken(text: string): string {
  return text === END ? 'the end' : `'${text}'`;
}

function parseRequirement(tokens: Tokens): SelectorRequirement {
  const isNegated = tokens.peek().text === '!';
  if (isNegated) tokens.next();
  const { text: key, column } = tokens.word(isNegated ? 'a label key' : "a label key or '!'");
  const problem = keyProblem(key);
  if (problem) tokens.fail(problem, column);
  if (isNegated) return { key, operator: 'DoesNotExist', values: [] };
  const { text: following } = tokens.peek();
  if (following === ',' || following === END) return { key, operator: 'Exists', values: [] };

  const { operator, takesSet } = parseOperator(tokens);
  const valuesColumn = tokens.peek().column;
  const values = takesSet ? parseSet(tokens) : [parseValue(tokens)];
  const valuesProblem = requirementProblem({ key, operator, values });
  if (valuesProblem) tokens.fail(valuesProblem, valuesColumn);
  return { key, operator, values };
}

interface OperatorSyntax {
  readonly operator: SelectorOperator;
  readonly takesSet: boolean;
}

const OPERATORS: ReadonlyMap<string, OperatorSyntax> = new Map([
  ['=', { operator: 'In', takesSet: false }],
  ['==', { operator: 'In', takesSet: false }],
  ['!=', { operator: 'NotIn', takesSet: false }],
  ['in', { operator: 'In', takesSet: true }],
  ['notin', { operator: 'NotIn', takesSet: true }],
  ['>', { operator: 'Gt', takesSet: false }],
  ['<', { operator: 'Lt', takesSet: false }],
]);

function parseOperator(tokens: Tokens): OperatorSyntax {
  const token = tokens.next();
  return OPERATORS.get(token.text) ?? tokens.refuse(token, "'=', '==', '!=', 'in', 'notin', '<', '>', ',' or the end");
}

/** Parses a value. In `app=` and `app=,tier`, the value is empty. */
function parseValue(tokens: Tokens): string {
  const { text } = tokens.peek();
  return text === ',' || text === END ? '' : tokens.word('a value').text;
}

/** Parses values; as in the API server, an empty place is the empty value, also in `()`. */
function parseSet(tokens: Tokens): readonly string[] {
  const values = new Set<string>();
  tokens.take('(');
  do {
    const { isWord, text } = tokens.peek();
    if (isWord) values.add(tokens.next().text);
    else if (text === ',' || text === ')') values.add('');
    else tokens.refuse(tokens.next(), "a value, ',' or ')'");
  } while (tokens.take(',', ')').text === ',');
  return [...values];
}
