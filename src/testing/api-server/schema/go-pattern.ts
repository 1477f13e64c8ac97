interface Flags {
  readonly i: boolean;
  readonly m: boolean;
  readonly s: boolean;
}

/** ASCII only, unlike the classes of the same names in JavaScript. */
const classes: Readonly<Record<string, string>> = { d: '0-9', w: '0-9A-Za-z_', s: '\\t\\n\\f\\r ' };

const posixClasses: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  ascii: '\\x00-\\x7f',
  blank: '\\t ',
  cntrl: '\\x00-\\x1f\\x7f',
  digit: '0-9',
  graph: '!-~',
  lower: 'a-z',
  print: ' -~',
  punct: '!-\\/:-@\\[-`\\{-~',
  space: '\\t-\\r ',
  upper: 'A-Z',
  word: '0-9A-Za-z_',
  xdigit: '0-9A-Fa-f',
};

const controls: Readonly<Record<string, number>> = { a: 7, f: 12, t: 9, n: 10, r: 13, v: 11 };

/** Tests whether any part of a text matches a regular expression. */
export type PatternTest = (text: string) => boolean;

/**
 * Compiles a regular expression of Go (RE2). Returns `undefined` if it uses something unknown.
 *
 * `RegExp` reads many of these expressions differently, for example flags in the middle (`(?i)`),
 * `\\z`, and classes such as `[[:alpha:]]`. It also needs exponential time for some of them. So all
 * states of the expression are followed at once here, as RE2 does.
 */
export function goPattern(pattern: string): PatternTest | undefined {
  try {
    const end: State = { next: [] };
    const start = stateOf(new Parser(pattern).parse(), end);
    return (text) => reaches(start, end, Array.from(text));
  } catch {
    return undefined;
  }
}

type Node =
  | { readonly type: 'character'; readonly class: RegExp }
  | { readonly type: 'assertion'; readonly holds: Assertion }
  | { readonly type: 'sequence' | 'choice'; readonly nodes: readonly Node[] }
  | { readonly type: 'repetition'; readonly node: Node; readonly least: number; readonly most: number };

/** Tests a position by the characters before and after it. */
type Assertion = (before: string | undefined, after: string | undefined) => boolean;

interface State {
  readonly class?: RegExp;
  readonly holds?: Assertion;
  readonly next: State[];
}

/** Returns the state at which a node begins. After the node, `next` follows. */
function stateOf(node: Node, next: State): State {
  switch (node.type) {
    case 'character':
      return { class: node.class, next: [next] };
    case 'assertion':
      return { holds: node.holds, next: [next] };
    case 'sequence':
      return node.nodes.reduceRight((after, each) => stateOf(each, after), next);
    case 'choice':
      return { next: node.nodes.map((each) => stateOf(each, next)) };
    case 'repetition': {
      let start = next;
      if (node.most === Infinity) {
        start = { next: [next] };
        start.next.push(stateOf(node.node, start));
      } else {
        for (let count = node.least; count < node.most; count++) start = { next: [stateOf(node.node, start), next] };
      }
      for (let count = 0; count < node.least; count++) start = stateOf(node.node, start);
      return start;
    }
  }
  return node satisfies never;
}

function reaches(start: State, end: State, characters: readonly string[]): boolean {
  let current: State[] = [];
  for (let index = 0; index <= characters.length; index++) {
    const [before, after] = [characters[index - 1], characters[index]];
    // A match may begin at any character.
    const pending = [...current, start];
    const seen = new Set<State>(pending);
    current = [];
    for (let state = pending.pop(); state !== undefined; state = pending.pop()) {
      if (state === end) return true;
      if (state.class !== undefined) {
        if (after !== undefined && state.class.test(after)) current.push(...state.next);
      } else if (state.holds?.(before, after) !== false) {
        for (const next of state.next) if (!seen.has(next)) pending.push(next);
        for (const next of state.next) seen.add(next);
      }
    }
  }
  return false;
}

const isWord = (character: string | undefined): boolean => character !== undefined && /\w/.test(character);
const atBoundary: Assertion = (before, after) => isWord(before) !== isWord(after);
const assertions: Readonly<Record<string, Assertion>> = {
  '\\A': (before) => before === undefined,
  '\\z': (_before, after) => after === undefined,
  '\\b': atBoundary,
  '\\B': (before, after) => !atBoundary(before, after),
};
const atLineStart: Assertion = (before) => before === undefined || before === '\n';
const atLineEnd: Assertion = (_before, after) => after === undefined || after === '\n';

class Parser {
  #at = 0;
  #flags: Flags = { i: false, m: false, s: false };

  constructor(private readonly pattern: string) {}

  parse(): Node {
    const node = this.#choice();
    if (this.#at < this.pattern.length) throw new Error('a group is closed twice');
    return node;
  }

  #choice(): Node {
    const nodes: Node[] = [this.#sequence()];
    while (this.#take(/\|/y) !== undefined) nodes.push(this.#sequence());
    return { type: 'choice', nodes };
  }

  #sequence(): Node {
    const nodes: Node[] = [];
    while (this.#at < this.pattern.length && !/[|)]/.test(this.pattern.charAt(this.#at))) {
      const node = this.#atom();
      const [, sign, least, comma, most] = this.#take(/(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/y) ?? [];
      if (sign !== undefined)
        nodes.push({ type: 'repetition', node, least: sign === '+' ? 1 : 0, most: sign === '?' ? 1 : Infinity });
      else if (least !== undefined) {
        const limit = comma === '' ? Number(least) : most === '' ? Infinity : Number(most);
        nodes.push({ type: 'repetition', node, least: Number(least), most: limit });
      } else nodes.push(node);
    }
    return { type: 'sequence', nodes };
  }

  #atom(): Node {
    const { m, s } = this.#flags;
    const quotation = this.#take(/\\Q(.*?)(?:\\E|$)/sy)?.[1];
    if (quotation !== undefined)
      return { type: 'sequence', nodes: Array.from(quotation, (each) => character([literal(each)], this.#flags)) };
    const assertion = this.#take(/\\[AzbB]/y)?.[0];
    if (assertion !== undefined) return { type: 'assertion', holds: assertions[assertion] ?? atBoundary };
    const group = this.#take(/\((?:\?(?:P?<\w+>|(?<set>[imsU]*)(?:-(?<unset>[imsU]+))?(?<end>[:)])))?/y);
    if (group !== undefined) return this.#group(group.groups ?? {});
    const edge = this.#take(/[\^$]/y)?.[0];
    if (edge === '^') return { type: 'assertion', holds: m ? atLineStart : (before) => before === undefined };
    if (edge === '$') return { type: 'assertion', holds: m ? atLineEnd : (_before, after) => after === undefined };
    if (this.#take(/\./y)) return character([s ? '[^]' : '[^\\n]'], this.#flags);
    const negated = this.#take(/\[(\^?)/y)?.[1];
    if (negated !== undefined) return character(this.#class(), this.#flags, negated !== '');
    if (this.#take(/[*+?]/y)) throw new Error('nothing to repeat');
    return character([this.#namedClass() ?? literal(this.#character())], this.#flags);
  }

  #group({ set = '', unset = '', end }: Readonly<Record<string, string | undefined>>): Node {
    const before = this.#flags;
    const value = (flag: 'i' | 'm' | 's'): boolean => (before[flag] || set.includes(flag)) && !unset.includes(flag);
    this.#flags = { i: value('i'), m: value('m'), s: value('s') };
    // Flags without a group of their own last to the end of the group around them.
    if (end === ')') return { type: 'sequence', nodes: [] };
    const node = this.#choice();
    if (this.#take(/\)/y) === undefined) throw new Error('a group has no end');
    this.#flags = before;
    return node;
  }

  /** Returns the parts of a class, of which one must match. */
  #class(): readonly string[] {
    const parts: string[] = [];
    while (parts.length === 0 || this.#take(/\]/y) === undefined) {
      if (this.#at >= this.pattern.length) throw new Error('the class has no end');
      const posix = this.#take(/\[:(\^?)(\w+):\]/y);
      const named = posix === undefined ? this.#namedClass() : posixClass(posix);
      const from = named === undefined ? literal(this.#character()) : '';
      const hasEnd = named === undefined && this.#take(/-(?=[^\]])/y) !== undefined;
      parts.push(named ?? `[${from}-${hasEnd ? literal(this.#character()) : from}]`);
    }
    return parts;
  }

  /** Returns the class for `\d`, `\pL` and the like, if one follows. */
  #namedClass(): string | undefined {
    const perl = this.#take(/\\([dswDSW])/y)?.[1];
    if (perl !== undefined) return `[${perl === perl.toLowerCase() ? '' : '^'}${classes[perl.toLowerCase()] ?? ''}]`;
    const unicode = this.#take(/\\([pP])(?:\{(\^?)(\w+)\}|(\w))/y);
    if (unicode === undefined) return undefined;
    const [, kind = 'p', negated = '', long, short = ''] = unicode;
    const name = long ?? short;
    const isNegated = (kind === 'P') !== (negated !== '');
    return `\\${isNegated ? 'P' : 'p'}{${name.length > 2 ? `Script=${name}` : name}}`;
  }

  /** Takes one character, which may be escaped. */
  #character(): string {
    const code = this.#take(/\\x(?:\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{2}))/y);
    if (code !== undefined) return String.fromCodePoint(parseInt(code[1] ?? code[2] ?? '', 16));
    const octal = this.#take(/\\([0-7]{2,3}|0)/y)?.[1];
    if (octal !== undefined) return String.fromCodePoint(parseInt(octal, 8));
    const control = this.#take(/\\([aftnrv])/y)?.[1];
    if (control !== undefined) return String.fromCodePoint(controls[control] ?? 0);
    const [, escaped, plain] = this.#take(/\\([!-/:-@[-`{-~])|([^\\])/suy) ?? [];
    const character = escaped ?? plain;
    if (character === undefined) throw new Error('the escape sequence is unknown');
    return character;
  }

  #take(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.pattern);
    if (found === null) return undefined;
    this.#at = expression.lastIndex;
    return found;
  }
}

function literal(text: string): string {
  return `\\u{${(text.codePointAt(0) ?? 0).toString(16)}}`;
}

/** @param content the classes of JavaScript of which one must match */
function character(content: readonly string[], { i }: Flags, isNegated = false): Node {
  const any = `(?:${content.join('|')})`;
  return { type: 'character', class: new RegExp(isNegated ? `^(?!${any})` : `^${any}`, i ? 'iu' : 'u') };
}

function posixClass([, negated = '', name = '']: RegExpExecArray): string {
  const content = posixClasses[name];
  if (content === undefined) throw new Error('the class is unknown');
  return `[${negated}${content}]`;
}
