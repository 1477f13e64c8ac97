import { folderWith, removeFolders } from '../../test/support/folder.js';
import { anchorsOfRules, githubSlug, hrefOnSite, ruleIn, rulesAsSections } from '../.vitepress/markdown.js';

afterEach(removeFolders);

const repository = 'https://github.com/a/b';

function onSite(href: string): string | undefined {
  const project = folderWith({ 'docs/how-to/a.md': '', 'src/index.ts': '', 'src/store/a.ts': '' });
  return hrefOnSite(href, `${project}/docs/how-to/a.md`, `${project}/`, repository);
}

describe('a link in a documentation page', () => {
  it.each(['', '#here', '/logo.svg', 'https://kubernetes.io/', 'mailto:a@b.c', 'b.md', '../reference/errors.md#code'])(
    'to "%s" is not changed',
    (href) => {
      expect(onSite(href)).toBeUndefined();
    },
  );

  it.each([
    ['../README.md', '/'],
    ['../decisions/README.md#queue', '/decisions/#queue'],
    ['../../src/index.ts#L3', `${repository}/blob/main/src/index.ts#L3`],
    ['../../src/store', `${repository}/tree/main/src/store`],
    ['../../README.md', `${repository}/blob/main/README.md`],
    ['../../not%20there.ts', `${repository}/blob/main/not there.ts`],
  ])('to "%s" becomes %s', (href, target) => {
    expect(onSite(href)).toBe(target);
  });
});

describe('the id of a heading', () => {
  it.each([
    ['Cut the watch', 'cut-the-watch'],
    ['`byIndex$(name, key)`', 'byindexname-key'],
    ['R12: a relist, again', 'r12-a-relist-again'],
    ['What is RXI_NOT_FOUND?', 'what-is-rxi_not_found'],
    ['Größe – ungefähr', 'größe--ungefähr'],
  ])('of "%s" is the same as on GitHub: %s', (heading, id) => {
    expect(githubSlug(heading)).toBe(id);
  });
});

/** The ids of the rows of a page whose first cells are these. */
function anchorsOn(relativePath: string, cells: readonly string[]): readonly (string | undefined)[] {
  const rows: (string | undefined)[] = cells.map(() => undefined);
  const token = (type: string, content: string, row: number) => ({
    type,
    tag: '',
    content,
    children: null,
    attrGet: () => null,
    attrSet: (_: string, value: string) => {
      rows[row] = value;
    },
  });
  const tokens = cells.flatMap((cell, row) => [
    token('tr_open', '', row),
    token('td_open', '', row),
    token('inline', cell, row),
  ]);
  anchorsOfRules({
    core: {
      ruler: {
        push: (_, rule) => {
          rule({ tokens, env: { relativePath } });
        },
      },
    },
  });
  return rows;
}

describe('a rule in a table of docs', () => {
  it.each([
    ['R12', 'R12'],
    ['R12 ▲', 'R12'],
    ['▲ S4', 'S4'],
  ])('is known by the first cell of its row: "%s"', (cell, id) => {
    expect(ruleIn(cell)).toBe(id);
  });

  it.each(['', 'id', 'R', 'r12', 'R123', 'G, J', 'R12 and R13'])('is not in a row that begins with "%s"', (cell) => {
    expect(ruleIn(cell)).toBeUndefined();
  });

  it('has one anchor, on the first of its rows, on the pages that define rules', () => {
    expect(anchorsOn('reference/rules.md', ['R12', 'id', 'G3 ▲', 'R12'])).toEqual(['r12', undefined, 'g3', undefined]);
    expect(anchorsOn('how-to/react.md', ['R12'])).toEqual([undefined]);
  });

  it('is a section of its own for the search, and other rows are not', () => {
    const html = '<tr id="r12">\n<td>R12 ▲</td>\n<td>If the store fails</td></tr><tr>\n<td>R13</td></tr>';
    expect(rulesAsSections(html)).toBe(
      '<h3>R12 ▲<a href="#r12"> </a></h3>\n<td>If the store fails</td></tr><tr>\n<td>R13</td></tr>',
    );
  });
});
