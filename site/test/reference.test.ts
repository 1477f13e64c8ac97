import { folderWith, removeFolders } from '../../test/support/folder.js';
import { undescribedNames } from '../scripts/check/reference.js';

afterEach(removeFolders);

const index = `<main><h2 id="a"><a href="./rx-informers/a.html">rx-informers: informer</a> <a class="header-anchor">&ZeroWidthSpace;</a></h2>
<ul><li><a href="./rx-informers/a.html#informer" class="function">informer</a></li></ul>
<h2 id="b">rx-informers/testing/in-memory</h2>
<ul><li><a href="./rx-informers/a.html#apod" class="function">aPod</a></li></ul></main>`;
const described = (id: string, body: string): string => `<h2 id="${id}" tabindex="-1">name</h2>${body}`;
const signature =
  '<div class="language-ts"><button title="Copy code"></button><span class="lang">ts</span><pre><code>function a b c</code></pre></div>';

function problemsOf(page: string, names = [{ name: 'informer', entry: 'rx-informers' }]): readonly string[] {
  return undescribedNames(names, folderWith({ 'index.html': index, 'rx-informers/a.html': page }));
}

describe('the check of the API reference', () => {
  it('finds a name in the section of its entry, with the description after the link', () => {
    const page =
      described('informer', `${signature}<p>Follows objects.</p>`) + described('apod', '<p>Returns a pod.</p>');
    expect(
      problemsOf(page, [
        { name: 'informer', entry: 'rx-informers' },
        { name: 'aPod', entry: 'rx-informers/testing/in-memory' },
      ]),
    ).toEqual([]);
  });

  it('reports a name that is missing in the section of its entry, even if another entry has it', () => {
    expect(problemsOf('', [{ name: 'aPod', entry: 'rx-informers/testing' }])).toEqual([
      'aPod of rx-informers/testing is not in the index of the reference',
    ]);
  });

  it('reports a link to a missing page or anchor', () => {
    expect(problemsOf(described('other', '<p>Follows objects.</p>'))).toEqual([
      'informer of rx-informers has no description at ./rx-informers/a.html#informer',
    ]);
    expect(undescribedNames([{ name: 'informer', entry: 'rx-informers' }], folderWith({}))).toHaveLength(1);
  });

  it.each([
    ['nothing', ''],
    ['its signature', signature],
    ['its signature and its source', `<p><a href="https://github.com" class="source">src/a.ts</a></p>${signature}`],
  ])('reports a description that consists only of %s', (_, body) => {
    expect(problemsOf(described('informer', body) + described('next', '<p>Follows objects.</p>'))).toEqual([
      'informer of rx-informers is described without a word at ./rx-informers/a.html#informer',
    ]);
  });
});
