import type { PagesOfKind } from '../../scripts/docs/pages.js';
import { folderWith, removeFolders } from '../../test/support/folder.js';
import { apiPages, firstPage, sidebar } from '../.vitepress/sidebar.js';

afterEach(removeFolders);

const kind = (folder: string, ...files: readonly string[]): PagesOfKind => ({
  folder,
  title: folder.toUpperCase(),
  pages: files.map((file) => ({ path: `${folder}/${file}.md`, title: `Title of ${file}`, text: '' })),
});

describe('the sidebar of the site', () => {
  it('has a section for each folder and an item for each page, in order', () => {
    expect(sidebar([kind('tutorials', 'b', 'a'), kind('how-to')], [])).toEqual([
      {
        text: 'TUTORIALS',
        collapsed: false,
        items: [
          { text: 'Title of b', link: '/tutorials/b' },
          { text: 'Title of a', link: '/tutorials/a' },
        ],
      },
      { text: 'HOW-TO', collapsed: false, items: [] },
    ]);
  });

  it('has a collapsed section of decisions, and links to the README of their folder', () => {
    expect(sidebar([kind('contributing/decisions', 'README')], [])).toMatchObject([
      { collapsed: true, items: [{ link: '/contributing/decisions/' }] },
    ]);
  });

  it('has the API pages below the reference if they were generated', () => {
    const docs = folderWith({
      'reference/api/sidebar.json': '[{ "text": "rx-informers", "link": "/reference/api/x" }]',
    });
    const [reference] = sidebar([kind('reference', 'errors')], apiPages(docs));

    expect(reference?.items?.[1]).toMatchObject({ text: 'API', items: [{ text: 'rx-informers' }] });
    expect(sidebar([kind('reference', 'errors')], apiPages(folderWith({})))[0]?.items).toHaveLength(1);
  });

  it('names the first page', () => {
    expect(firstPage(sidebar([kind('tutorials', 'b', 'a')], []))).toBe('/tutorials/b');
    expect(firstPage([])).toBe('/');
  });
});
