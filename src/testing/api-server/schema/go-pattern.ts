/** Lower bound and upper bound of a range of code points. */
type Range = readonly [from: number, to: number];

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

/** The code points that equal these letters if case is ignored, besides their other case. */
const otherCases: Readonly<Record<string, string>> = { k: '\u212a', K: '\u212a', s: '\u017f', S: '\u017f' };

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
    const { i, m, s } = this.#flags;
    const quotation = this.#take(/\\Q(.*?)(?:\\E|$)/sy)?.[1];
    if (quotation !== undefined)
      return { type: 'sequence', nodes: Array.from(quotation, (each) => character(literal(each, i))) };
    const assertion = this.#take(/\\[AzbB]/y)?.[0];
    if (assertion !== undefined) return { type: 'assertion', holds: assertions[assertion] ?? atBoundary };
    const group = this.#take(/\((?:\?(?:P?<\w+>|(?<set>[imsU]*)(?:-(?<unset>[imsU]+))?(?<end>[:)])))?/y);
    if (group !== undefined) return this.#group(group.groups ?? {});
    const edge = this.#take(/[\^$]/y)?.[0];
    if (edge === '^') return { type: 'assertion', holds: m ? atLineStart : (before) => before === undefined };
    if (edge === '$') return { type: 'assertion', holds: m ? atLineEnd : (_before, after) => after === undefined };
    if (this.#take(/\./y)) return character(s ? '\\u{0}-\\u{10ffff}' : '\\n', !s);
    const negated = this.#take(/\[(\^?)/y)?.[1];
    if (negated !== undefined) return character(this.#class(), negated !== '');
    if (this.#take(/[*+?]/y)) throw new Error('nothing to repeat');
    return character(this.#namedClass() ?? literal(this.#character(), i));
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

  /** Returns the content of a class, as the content of a class of JavaScript. */
  #class(): string {
    let inside = '';
    for (let isFirst = true; isFirst || this.#take(/\]/y) === undefined; isFirst = false) {
      if (this.#at >= this.pattern.length) throw new Error('the class has no end');
      const posix = this.#take(/\[:(\^?)(\w+):\]/y);
      const named = posix === undefined ? this.#namedClass() : posixClass(posix);
      if (named !== undefined) {
        inside += named;
        continue;
      }
      const from = codeOf(this.#character());
      const to = this.#take(/-(?=[^\]])/y) === undefined ? from : codeOf(this.#character());
      inside += this.#flags.i ? bothCases([from, to]) : shown([from, to]);
    }
    return inside;
  }

  /** Returns the content of a class for `\d`, `\pL` and the like, if one follows. */
  #namedClass(): string | undefined {
    const perl = this.#take(/\\([dswDSW])/y)?.[1];
    if (perl !== undefined) {
      const content = classes[perl.toLowerCase()] ?? '';
      return perl === perl.toLowerCase() ? content : complement(content);
    }
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

function literal(character: string, ignoresCase: boolean): string {
  const code = codeOf(character);
  return ignoresCase ? bothCases([code, code]) : shown([code, code]);
}

function character(content: string, isNegated = false): Node {
  return { type: 'character', class: new RegExp(`^[${isNegated ? '^' : ''}${content}]$`, 'u') };
}

function posixClass([, negated, name = '']: RegExpExecArray): string {
  const content = posixClasses[name];
  if (content === undefined) throw new Error('the class is unknown');
  return negated === '' ? content : complement(content);
}

/** Returns the code points that a class of ASCII characters does not contain, as a class. */
function complement(content: string): string {
  const inside = new RegExp(`[${content}]`, 'u');
  const others = Array.from({ length: 128 }, (_, code) => code).filter(
    (code) => !inside.test(String.fromCodePoint(code)),
  );
  return `${others.map((code) => shown([code, code])).join('')}\\u{80}-\\u{10ffff}`;
}

/** Returns a range together with the other case of its letters. */
function bothCases([from, to]: Range): string {
  const ranges: Range[] = [[from, to]];
  for (const [first, last, distance] of [
    [0x61, 0x7a, -32],
    [0x41, 0x5a, 32],
  ] as const) {
    if (from <= last && to >= first) ranges.push([Math.max(from, first) + distance, Math.min(to, last) + distance]);
  }
  const folded = Object.entries(otherCases).filter(([letter]) => codeOf(letter) >= from && codeOf(letter) <= to);
  const single = from === to ? String.fromCodePoint(from) : '';
  const others = [...folded.map(([, other]) => other), single.toLowerCase(), single.toUpperCase()];
  const characters = others.filter((other) => Array.from(other).length === 1).map(codeOf);
  return [...ranges, ...characters.map((code): Range => [code, code])].map(shown).join('');
}

function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}

function shown([from, to]: Range): string {
  const code = (value: number): string => `\\u{${value.toString(16)}}`;
  return from === to ? code(from) : `${code(from)}-${code(to)}`;
}
