import { folderWith, removeFolders } from '../../../test/support/folder.js';
import { excerpt, fullText, overview } from '../../docs/assistants.js';
import { pagesByKind } from '../../docs/pages.js';

afterEach(removeFolders);

const docs = (files: Readonly<Record<string, string>>): ReturnType<typeof pagesByKind> =>
  pagesByKind(folderWith({ 'README.md': '', ...files }));

describe('the pages of the documentation for assistants', () => {
  it('are ordered by their links in the README, and then by title', () => {
    const [tutorials] = docs({
      'README.md': '[Second](tutorials/b.md) and [first](tutorials/a.md)',
      'tutorials/a.md': '# Alpha\n',
      'tutorials/b.md': '# Beta\n',
      'tutorials/d.md': '# Able\n',
      'tutorials/c.md': '# Zeta\n',
      'tutorials/picture.png': '',
    });
    expect(tutorials?.pages.map(({ title }) => title)).toEqual(['Beta', 'Alpha', 'Able', 'Zeta']);
  });

  it('have the title of their front matter, or their first heading without markup', () => {
    const [how] = docs({
      'how-to/a.md': "---\ntitle: 'Stated'\n---\n\n# Other\n",
      'how-to/b.md': '# `useQuery` *and* more\n',
    });
    expect(how?.pages.map(({ title, text }) => [title, text.trim()])).toEqual([
      ['Stated', '# Other'],
      ['useQuery and more', '# `useQuery` *and* more'],
    ]);
  });

  it('have an empty title without a heading, and skip a kind without a folder', () => {
    expect(docs({ 'how-to/a.md': 'No heading.\n' })).toMatchObject([{ folder: 'how-to', pages: [{ title: '' }] }]);
    expect(docs({})).toEqual([]);
  });
});

describe('llms.txt', () => {
  it('lists every page with its first sentence, without links', () => {
    const text = overview(
      'docs/',
      docs({
        'how-to/react.md':
          '# React\n\n<!-- a comment -->\n\nShow a [query](../reference/queries.md) in\nReact. It is live.\n',
        'reference/errors.md': '# Errors\n\nEach error has a code:\n\n| code |\n',
      }),
    );
    expect(text).toContain('## How-to guides\n\n- [React](docs/how-to/react.md): Show a query in React.\n');
    expect(text).toContain('## Reference\n\n- [Errors](docs/reference/errors.md): Each error has a code.\n');
  });

  it('lists a page without a sentence by its title', () => {
    expect(overview('', docs({ 'how-to/a.md': '# A\n' }))).toContain('- [A](how-to/a.md): \n');
  });
});

describe('llms-full.txt', () => {
  it('contains the text of every page for users after its path', () => {
    const text = fullText(
      docs({ 'how-to/a.md': '# A\n\nText.\n', 'contributing/b.md': '# B\n', 'reference/c.md': '# C\n' }),
    );
    expect(text).toBe('<!-- docs/how-to/a.md -->\n\n# A\n\nText.\n\n<!-- docs/reference/c.md -->\n\n# C\n');
  });
});

describe('llms-full.txt of this project', () => {
  it('has at most 100,000 tokens of four characters', () => {
    expect(fullText().length).toBeLessThanOrEqual(400_000);
  });

  it('has neither pictures nor the options and rules, and of the errors only the table of the codes', () => {
    const text = fullText(
      docs({
        'how-to/a.md': '# A\n\n![Chart](a.svg)\n\n<!-- figure: x -->5 ms<!-- /figure -->\n',
        'reference/errors.md': '# Errors\n\n| code |\n\n## RXI_KEY\n\nText.\n',
        'reference/options.md': '# Options\n',
      }),
    );
    expect(text).toBe(
      '<!-- docs/how-to/a.md -->\n\n# A\n\n5 ms\n\n<!-- docs/reference/errors.md -->\n\n# Errors\n\n| code |\n',
    );
  });
});

describe('a skill', () => {
  const page = {
    path: 'how-to/a.md',
    title: 'Alpha',
    text: '# Alpha\n\nBegin.\n\n## One\n\n[Here](#two), [there](b.md#x).\n\n### Part\n\nPart.\n\n## Two\n\n<picture>\n  <img src="x.svg">\n</picture>\n\nText.\n',
  };

  it('takes the sections that it names, and turns links into text, so that it can be copied alone', () => {
    expect(excerpt(page, ['One'])).toBe('# Alpha\n\n## One\n\nHere, there.');
  });

  it('takes the beginning and subsections if they are named, and no pictures', () => {
    expect(excerpt(page, ['', 'Part', 'Two'])).toBe('# Alpha\n\nBegin.\n\n### Part\n\nPart.\n\n## Two\n\nText.');
  });

  it('keeps links to other sites, and drops the line that leads to more pages', () => {
    const text = '# A\n\n[rxjs](https://rxjs.dev) and [`derived`](x.md).\n\nMore: [B](b.md).\n';
    expect(excerpt({ path: 'how-to/a.md', title: 'A', text }, [''])).toBe(
      '# A\n\n[rxjs](https://rxjs.dev) and `derived`.',
    );
  });

  it('throws for a heading that the page does not have', () => {
    expect(() => excerpt(page, ['Three'])).toThrow('docs/how-to/a.md has no heading Three');
  });
});
