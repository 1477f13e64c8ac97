/** A TypeScript block of a page. */
export interface Block {
  readonly code: string;
  /** The language: `ts` or `tsx`. */
  readonly language: string;
  /** The words after the language in the fence, for example `no-run: needs a cluster`. */
  readonly info: string;
  /** The line of the fence, counted from 1. */
  readonly line: number;
}

/** Returns the TypeScript blocks of a Markdown file. */
export function blocksOf(markdown: string): readonly Block[] {
  const fences = /^( *)```(tsx?)(?: +([^\n]*))?\n([^]*?)^ *```$/gm;
  return Array.from(markdown.matchAll(fences), ({ index, 2: language = '', 3: info = '', 4: code = '' }) => ({
    code,
    language,
    info: info.trim(),
    line: markdown.slice(0, index).split('\n').length,
  }));
}

/** Returns the mistake in the fence of a block, or `undefined` if there is none. */
export function faultOfFence({ info }: Pick<Block, 'info'>): string | undefined {
  if (info === '' || info === 'run' || /^no-run: *\S/.test(info)) return undefined;
  if (info.startsWith('no-run')) return 'does not say why it does not run: write `no-run: needs a cluster`';
  return `has \`${info}\` after its language: only \`run\` and \`no-run: <reason>\` are known`;
}

/**
 * Imports and code that do not work in a page, each with its reason. The first rule that matches
 * decides.
 */
const rules: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/from '(?:rx-informers\/react|react|@testing-library\/react|@vitejs\/plugin-react)'/, 'needs React'],
  [/from '(?:vue|svelte\/reactivity|solid-js|@angular\/core)'/, 'needs its framework'],
  [/from 'vite'/, 'is a configuration of Vite'],
  [/from '(?:prom-client|rx-informers\/prometheus)'/, 'needs prom-client'],
  [/from '(?:@opentelemetry\/api|rx-informers\/opentelemetry)'/, 'needs OpenTelemetry'],
  [/from 'rx-informers\/shared-worker'/, 'needs a SharedWorker'],
  [/import \{(?! kubeClient \})[^}]*\} from 'rx-informers\/node'/, 'needs a process of Node'],
  [/import \{[^}]*\b(?:recordSource|replayFile)\b[^}]*\} from 'rx-informers\/testing'/, 'writes a file'],
  [/from 'node:|\bprocess(?:\.|, ')/, 'needs Node'],
  [/\bdescribe\w*Conformance\b/, 'needs a test runner'],
  [/from '\.\.?\//, 'imports another file of its page'],
  [/^declare (?:const|function|let)/m, 'leaves a part to the reader'],
];

/**
 * Returns the reason why a block does not run in a page, or `undefined` if it runs. The fence of
 * the block or a rule states the reason.
 */
export function whyNotRun({ code, language, info }: Pick<Block, 'code' | 'language' | 'info'>): string | undefined {
  const [, stated] = /^no-run: *(.+)$/.exec(info) ?? [];
  if (stated !== undefined) return stated;
  const rule = rules.find(([pattern]) => pattern.test(code));
  return rule?.[1] ?? (language === 'tsx' ? 'needs React' : undefined);
}
