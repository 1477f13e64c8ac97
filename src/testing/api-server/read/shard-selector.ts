import { fnv1a64, isLess, type Hash64 } from '../../../sources/reflector/shard.js';
import { internalError } from '../exchange/api-error.js';
import type { StoredObject } from '../storage/stored-object.js';

/** A parsed `shardSelector`. */
export interface ShardSelection {
  /** The selector in the notation of the real server, for the `shardInfo` of a list. */
  readonly selector: string;
  readonly matches: (object: StoredObject) => boolean;
}

interface Range {
  readonly field: string;
  readonly start: Hash64;
  readonly end: Hash64;
  readonly text: string;
}

const fields = ['object.metadata.uid', 'object.metadata.namespace'];

/** Parses as the real server does, which throws a 500 without a reason if it is invalid. */
export function parseShardSelector(text: string): ShardSelection {
  if (text.trim() === '') {
    throw invalidShard('empty shard selector is not allowed; omit the parameter for unfiltered lists');
  }
  const ranges = shardTerms(text, invalidShard).map(rangeOf);
  const field = ranges[0]?.field;
  const other = ranges.find((range) => range.field !== field);
  if (other !== undefined) {
    throw invalidShard(`all shard ranges must use the same field, got "${field}" and "${other.field}"`);
  }
  const ofUid = field === 'object.metadata.uid';
  return {
    selector: ranges.map((range) => range.text).join(' || '),
    matches: ({ metadata }) => {
      const hash = fnv1a64((ofUid ? metadata.uid : metadata.namespace) ?? '');
      return ranges.some(({ start, end }) => !isLess(hash, start) && isLess(hash, end));
    },
  };
}

function rangeOf({ field, start: startText, end: endText }: ShardTerm): Range {
  if (!fields.includes(field)) {
    throw invalidShard(`unsupported field path "${field}"; supported: ${fields.join(', ')}`);
  }
  const start = hashBound('hexStart', startText, invalidShard);
  const end = hashBound('hexEnd', endText, invalidShard);
  if (!isLess(start, end)) throw invalidShard(`shard range start ${startText} must be less than end ${endText}`);
  return { field, start, end, text: `shardRange(${field}, '${startText}', '${endText}')` };
}

function invalidShard(problem: string): Error {
  return internalError(`invalid shard selector: ${problem}`);
}

/** One `shardRange(field, 'start', 'end')`, whose arguments are not checked yet. */
interface ShardTerm {
  readonly field: string;
  readonly start: string;
  readonly end: string;
}

interface Token {
  readonly kind: 'operator' | 'path' | 'number' | 'text';
  readonly value: string;
}

const pattern = /\s*(?:(\|\||&&|[(),!])|([A-Za-z_][\w.]*)|(\d\w*)|'([^']*)'|"([^"]*)")\s*/y;

/**
 * Parses the terms of `a || b || (c)`: the part of CEL that the real server accepts, and similar
 * expressions, to report their errors. Throws the real server's message through `fail`; a shorter
 * one if the text is no expression at all.
 */
function shardTerms(text: string, fail: (problem: string) => Error): readonly ShardTerm[] {
  const tokens = tokensOf(text, fail);
  let position = 0;
  const syntaxError = (): Error => {
    const found = tokens[position]?.value ?? '<EOF>';
    return fail(`CEL parse error: Syntax error: mismatched input '${found}'`);
  };
  const isNext = (operator: string): boolean =>
    tokens[position]?.kind === 'operator' && tokens[position]?.value === operator;
  const expect = (operator: string): void => {
    if (!isNext(operator)) throw syntaxError();
    position += 1;
  };

  function alternatives(): readonly ShardTerm[] {
    const terms = [...alternative()];
    while (isNext('||')) {
      position += 1;
      terms.push(...alternative());
    }
    if (isNext('&&')) throw unsupported('_&&_', fail);
    return terms;
  }

  function alternative(): readonly ShardTerm[] {
    if (isNext('!')) throw unsupported('!_', fail);
    if (isNext('(')) {
      position += 1;
      const terms = alternatives();
      expect(')');
      return terms;
    }
    const token = tokens[position];
    if (token === undefined || token.kind === 'operator') throw syntaxError();
    position += 1;
    if (token.kind !== 'path' || !isNext('(')) throw unexpectedExpression(token, fail);
    if (token.value !== 'shardRange') throw unsupported(token.value, fail);
    return [term(operands(), fail)];
  }

  function operands(): readonly Token[] {
    expect('(');
    const found: Token[] = [];
    while (!isNext(')')) {
      if (found.length > 0) expect(',');
      const token = tokens[position];
      if (token === undefined || token.kind === 'operator') throw syntaxError();
      found.push(token);
      position += 1;
    }
    expect(')');
    return found;
  }

  const terms = alternatives();
  if (position < tokens.length) throw syntaxError();
  return terms;
}

function tokensOf(text: string, fail: (problem: string) => Error): readonly Token[] {
  const tokens: Token[] = [];
  pattern.lastIndex = 0;
  while (pattern.lastIndex < text.length) {
    const from = pattern.lastIndex;
    const match = pattern.exec(text);
    if (match === null) throw fail(`CEL parse error: Syntax error: token recognition error at: '${text.slice(from)}'`);
    const [, operator, path, number, single, double] = match;
    if (operator !== undefined) tokens.push({ kind: 'operator', value: operator });
    else if (path !== undefined) tokens.push({ kind: 'path', value: path });
    else if (number !== undefined) tokens.push({ kind: 'number', value: number });
    else tokens.push({ kind: 'text', value: single ?? double ?? '' });
  }
  return tokens;
}

function term(operands: readonly Token[], fail: (problem: string) => Error): ShardTerm {
  const [field, start, end] = operands;
  if (field === undefined || start === undefined || end === undefined || operands.length > 3) {
    throw fail(`shardRange() requires exactly 3 arguments, got ${operands.length}`);
  }
  if (field.kind !== 'path') {
    throw fail(
      `shardRange() first argument: expected field path (e.g. object.metadata.uid), got expression kind ${kindNumber(field)}`,
    );
  }
  for (const [name, bound] of [['hexStart', start] as const, ['hexEnd', end] as const]) {
    if (bound.kind !== 'text') throw fail(`${name} must be a string literal, got int64`);
  }
  return { field: field.value, start: start.value, end: end.value };
}

function unsupported(name: string, fail: (problem: string) => Error): Error {
  return fail(`unsupported function "${name}"; only shardRange() and || are allowed`);
}

function unexpectedExpression(token: Token, fail: (problem: string) => Error): Error {
  return fail(`unexpected expression kind ${kindNumber(token)}; expected shardRange() call or || operator`);
}

/** Numbers a node kind as the CEL library of the real server does in messages. */
function kindNumber({ kind, value }: Token): number {
  if (kind !== 'path' || ['true', 'false', 'null'].includes(value)) return 5;
  return value.includes('.') ? 7 : 3;
}

const wholeRange = '10000000000000000';

/** Parses a bound: sixteen hexadecimal digits, or 2^64. Throws the server's message by `fail`. */
function hashBound(name: 'hexStart' | 'hexEnd', text: string, fail: (problem: string) => Error): Hash64 {
  if (!text.startsWith('0x')) throw fail(`${name} must have '0x' prefix, got ${JSON.stringify(text)}`);
  const digits = text.slice(2);
  if (digits === '') throw fail(`${name}: hex value is required after '0x'`);
  if (digits.length > 17) throw fail(`${name}: hex value too long (${digits.length} chars, max 17): "${digits}"`);
  const wrong = /[^0-9a-f]/.exec(digits)?.[0];
  if (wrong !== undefined) throw fail(`${name}: invalid hex character ${JSON.stringify(wrong)} in "${text}"`);
  if (digits.length < 16) {
    const meant = digits.padStart(16, '0');
    throw fail(`${name} must be a 0x-prefixed 16-digit hex value, got "${text}" (did you mean "0x${meant}"?)`);
  }
  if (digits.length === 17 && digits !== wholeRange) {
    throw fail(`${name}: 17-digit hex value must be '0x${wholeRange}' (2^64), got "${text}"`);
  }
  return { high: parseInt(digits.slice(0, -8), 16), low: parseInt(digits.slice(-8), 16) };
}
