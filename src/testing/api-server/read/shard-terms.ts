/** One `shardRange(field, 'start', 'end')`, not looked at any closer. */
export interface ShardTerm {
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
 * The terms of `a || b || (c)`: of CEL, in which the real server writes shard selectors, what it accepts and what is nearest to that.
 *
 * Throws what `fail` makes of the real server's message; for text that is no expression at all, of a shorter one.
 */
export function shardTerms(text: string, fail: (problem: string) => Error): readonly ShardTerm[] {
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

/** By the numbers of the CEL library that the real server uses: an identifier, a selection of a field, or a literal. */
function kindNumber({ kind, value }: Token): number {
  if (kind !== 'path' || ['true', 'false', 'null'].includes(value)) return 5;
  return value.includes('.') ? 7 : 3;
}
