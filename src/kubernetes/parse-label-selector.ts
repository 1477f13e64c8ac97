import { InvalidSelectorError } from './invalid-selector-error.js';
import { isInteger, type SelectorRequirement } from './selector-requirement.js';

interface Token {
  readonly text: string;
  readonly column: number;
  readonly isWord: boolean;
}

/**
 * Reads the text form of a label selector: `a=b`, `a==b`, `a!=b`, `a in (b,c)`, `a notin (b,c)`, `a`, `!a`, `a>1`, `a<1`, joined by commas.
 *
 * An empty text selects everything. Throws `InvalidSelectorError`, which names the column.
 *
 * @example
 * parseLabelSelector('app in (shop, cart), tier!=cache')
 */
export function parseLabelSelector(text: string): readonly SelectorRequirement[] {
  const tokens = tokenise(text);
  if (tokens.length === 1) return [];
  let position = 0;

  const peek = (): Token => tokens[position] as Token;
  const take = (): Token => tokens[position++] as Token;
  const fail = (problem: string, { column }: Token): never => {
    throw new InvalidSelectorError(text, column, problem);
  };
  const found = ({ text: word }: Token): string => (word === '' ? 'the end' : JSON.stringify(word));
  const expect = (symbol: string): void => {
    const token = take();
    if (token.isWord || token.text !== symbol) fail(`expected ${JSON.stringify(symbol)}, found ${found(token)}`, token);
  };
  const word = (what: string): Token => {
    const token = take();
    return token.isWord ? token : fail(`expected ${what}, found ${found(token)}`, token);
  };
  const key = (): string => {
    const token = word('a label name');
    return isLabelName(token.text) ? token.text : fail(`${JSON.stringify(token.text)} is not a label name`, token);
  };
  const value = (): string => {
    if (!peek().isWord) return '';
    const token = take();
    return isLabelValue(token.text) ? token.text : fail(`${JSON.stringify(token.text)} is not a label value`, token);
  };
  const values = (): readonly string[] => {
    expect('(');
    const read = [value()];
    while (peek().text === ',') {
      take();
      read.push(value());
    }
    expect(')');
    return [...new Set(read)].sort();
  };
  const integer = (): bigint => {
    const token = word('an integer');
    return isInteger(token.text) ? BigInt(token.text) : fail(`${JSON.stringify(token.text)} is not an integer`, token);
  };
  const isEnd = ({ isWord, text: symbol }: Token): boolean => !isWord && (symbol === ',' || symbol === '');

  const requirement = (): SelectorRequirement => {
    if (!peek().isWord && peek().text === '!') {
      take();
      return { operator: 'DoesNotExist', key: key() };
    }
    const name = key();
    if (isEnd(peek())) return { operator: 'Exists', key: name };
    const operator = take();
    switch (operator.text) {
      case '=':
      case '==':
        return { operator: 'In', key: name, values: [value()] };
      case '!=':
        return { operator: 'NotIn', key: name, values: [value()] };
      case 'in':
        return { operator: 'In', key: name, values: values() };
      case 'notin':
        return { operator: 'NotIn', key: name, values: values() };
      case '>':
        return { operator: 'Gt', key: name, value: integer() };
      case '<':
        return { operator: 'Lt', key: name, value: integer() };
      default:
        return fail(`expected an operator, found ${found(operator)}`, operator);
    }
  };

  const requirements = [requirement()];
  while (peek().text === ',') {
    take();
    requirements.push(requirement());
  }
  if (!isEnd(peek())) fail(`expected a comma, found ${found(peek())}`, peek());
  return requirements;
}

/** Symbols stand alone or as `==` and `!=`; everything else up to the next symbol or space is a word. The last token is the end. */
function tokenise(text: string): readonly Token[] {
  const tokens = [...text.matchAll(/==|!=|[=!(),<>]|[^\s=!(),<>]+/g)].map((match) => ({
    text: match[0],
    column: match.index + 1,
    isWord: !/^[=!(),<>]/.test(match[0]),
  }));
  return [...tokens, { text: '', column: text.length + 1, isWord: false }];
}

const NAME = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const DNS_SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** `name` or `prefix/name`, by the rules of label keys. */
export function isLabelName(text: string): boolean {
  const parts = text.split('/');
  if (parts.length > 2) return false;
  const name = parts[parts.length - 1] as string;
  const prefix = parts.length === 2 ? (parts[0] as string) : undefined;
  const isPrefix = prefix === undefined || (prefix.length <= 253 && DNS_SUBDOMAIN.test(prefix));
  return isPrefix && name.length <= 63 && NAME.test(name);
}

export function isLabelValue(text: string): boolean {
  return text === '' || (text.length <= 63 && NAME.test(text));
}
