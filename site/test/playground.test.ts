import { pods } from 'rx-informers';
import { createInMemoryApiServer } from 'rx-informers/testing';
import { blocksOf, faultOfFence, whyNotRun } from '../playground/blocks.js';
import { compile } from '../playground/compile.js';
import { nothing, placeOf, withEvents } from '../playground/results.js';
import { obey } from '../playground/sandbox/objects.js';
import { codeIn, fragmentOf } from '../playground/share.js';

describe('code blocks of a page', () => {
  it('are TypeScript fences with their language, their line and what follows the language', () => {
    const page = 'Text\n\n```ts\na;\n```\n\n```sh\nb\n```\n\n```tsx no-run: needs a screen\nc;\n```\n';
    expect(blocksOf(page)).toEqual([
      { language: 'ts', info: '', code: 'a;\n', line: 3 },
      { language: 'tsx', info: 'no-run: needs a screen', code: 'c;\n', line: 11 },
    ]);
  });

  it.each([
    ["import { pods } from 'rx-informers';", 'ts', '', undefined],
    ["import { kubeClient } from 'rx-informers/node';", 'ts', '', undefined],
    ["import { manager } from 'rx-informers/node';", 'ts', '', 'needs a process of Node'],
    ["import { useInformer } from 'rx-informers/react';", 'tsx', '', 'needs React'],
    ["import { readFile } from 'node:fs';", 'ts', '', 'needs Node'],
    ["import { clocks } from './clock.ts';", 'ts', '', 'imports another file of its page'],
    ['declare const website: Website;', 'ts', '', 'leaves a part to the reader'],
    ['anything();', 'ts', 'no-run: needs two clusters', 'needs two clusters'],
  ])('%s', (code, language, info, reason) => {
    expect(whyNotRun({ code, language, info })).toBe(reason);
  });
});

describe('the fence of a code block', () => {
  it.each(['', 'run', 'no-run: needs two clusters'])('may contain %p after its language', (info) => {
    expect(faultOfFence({ info })).toBeUndefined();
  });

  it.each(['no-run', 'no-run:', 'no-run:  '])(
    'with %p is refused without the reason why the block does not run',
    (info) => {
      expect(faultOfFence({ info })).toContain('does not say why');
    },
  );

  it.each(['norun: needs a cluster', 'runs', '{1,3}'])('with %p is refused because of an unknown word', (info) => {
    expect(faultOfFence({ info })).toContain(`has \`${info}\` after its language`);
  });
});

describe('a shared program of the playground', () => {
  it('is compressed into the address, and restored from it', async () => {
    const code = "console.log('ä → ✓');\n".repeat(50);
    const fragment = await fragmentOf(code);
    expect(fragment).toMatch(/^#ts=[\w-]+$/);
    expect(fragment.length).toBeLessThan(120);
    await expect(codeIn(fragment)).resolves.toBe(code);
  });

  it.each(['', '#a-heading', '#ts=', '#ts=%%%', '#ts=AAAA'])('is not found in %p', async (fragment) => {
    await expect(codeIn(fragment)).resolves.toBeUndefined();
  });
});

describe('the actions of a reader in the cluster of the playground', () => {
  it('create another pod each time, in any order with deletions', () => {
    const server = createInMemoryApiServer();
    const act = (type: 'create' | 'delete'): string => obey(server, { type }, new Set());
    for (let count = 1; count <= 10; count += 1) act('create');
    expect(act('delete')).toBe('you deleted pod default/yours-9');
    expect(act('create')).toBe('you created pod default/yours-9');
    expect(server.objects.list(pods)).toHaveLength(10);
    server.stop();
  });
});

describe('the results of a playground program', () => {
  it('count the values of each stream and keep the latest', () => {
    const lane = { type: 'lane', lane: 1, label: 'list$', line: 3 } as const;
    const mark = { type: 'mark', lane: 1, kind: 'value', short: '2', at: 5 } as const;
    const results = withEvents(nothing, [lane, { ...mark, text: 'a' }, { ...mark, text: 'b' }]);
    expect(results.lanes).toMatchObject([{ label: 'list$', count: 2, latest: 'b' }]);
  });

  it('show the last ten seconds of a stream', () => {
    expect(placeOf(0, 1_000)).toBe(2);
    expect(placeOf(2_000, 1_000)).toBe(98);
    expect(placeOf(4_999, 15_000)).toBeUndefined();
    expect(placeOf(15_000, 15_000)).toBe(98);
  });
});

describe('the code of a block', () => {
  it('loses its types', () => {
    expect(compile('const size: number = 1;\n')).toBe('const size = 1;\n');
  });

  it('has a syntax error with its line and column', () => {
    expect(() => compile('const a = 1;\nconst = 2;\n')).toThrow(
      expect.objectContaining({ name: 'CodeSyntaxError', line: 2, column: 7 }),
    );
  });
});
