import { folderWith, removeFolders } from '../../test/support/folder.js';
import { brokenLinks } from '../scripts/check/links.js';

afterEach(removeFolders);

const repository = 'https://github.com/rx-informers/rx-informers';
const page = (body: string): string => `<!doctype html><html><head></head><body>${body}</body></html>`;

function problemsOf(body: string, files: Readonly<Record<string, string>> = {}): readonly string[] {
  const site = folderWith({ 'how-to/a.html': page(body), ...files });
  return brokenLinks(site, folderWith({ 'src/index.ts': '', 'docs/a b.md': '' }));
}

describe('the link checker of the site', () => {
  it.each([
    ['a page', '<a href="b.html">', { 'how-to/b.html': '' }],
    ['a page above, with a query and an anchor', '<a href="../b.html?q=1#c">', { 'b.html': '<h2 id="c">' }],
    ['the index of a folder', '<a href="../reference/">', { 'reference/index.html': '' }],
    ['an anchor of its own page', '<h2 id="c"></h2><a href="#c">', {}],
    ['the top of its page', '<a href="#">', {}],
    ['an anchor with letters that an address encodes', '<h2 id="prüfen"></h2><a href="#pr%C3%BCfen">', {}],
    ['a program for the playground', '<a href="../playground.html#ts=dZDN">', { 'playground.html': '' }],
    ['a picture', '<img src="../a.png">', { 'a.png': '' }],
    ['a file of the repository', `<a href="${repository}/blob/main/src/index.ts#L3">`, {}],
    ['a file of the repository with a space', `<a href="${repository}/edit/main/docs/a%20b.md">`, {}],
    ['another site', '<a href="https://kubernetes.io/docs/">', {}],
    ['mail', '<a href="mailto:a@example.com">', {}],
    ['what a script writes', '<script>document.write(`<a href="no.html">`)</script>', {}],
  ])('accepts a link to %s', (_, body, files) => {
    expect(problemsOf(body, files)).toEqual([]);
  });

  it.each([
    ['a page that is not there', '<a href="b.html">', 'b.html does not exist'],
    ['a folder without an index', '<a href="../reference/">', '../reference/ does not exist'],
    ['an anchor that is not on the page', '<a href="#c">', '#c has no such anchor'],
    ['a picture that is not there', '<img alt="" src="../a.png">', '../a.png does not exist'],
    ['a script that is not there', '<script type="module" src="../a.js"></script>', '../a.js does not exist'],
    ['a style that is not there', '<link rel="stylesheet" href="../a.css">', '../a.css does not exist'],
    ['a path of the host', '<a href="/how-to/a.html">', '/how-to/a.html depends on the path of the site'],
    ['a picture of another host', '<img src="https://a.io/b.png">', 'https://a.io/b.png is on another host'],
    [
      'a file that the repository does not have',
      `<a href="${repository}/blob/main/no.ts">`,
      'is not in the repository',
    ],
  ])('reports %s', (_, body, problem) => {
    expect(problemsOf(body)).toEqual([expect.stringContaining(problem)]);
    expect(problemsOf(body)[0]).toMatch(/^how-to\/a\.html: /);
  });

  it('reports an anchor that is not on another page', () => {
    expect(problemsOf('<a href="b.html#c">', { 'how-to/b.html': '<h2 id="d">' })).toEqual([
      'how-to/a.html: b.html#c has no such anchor',
    ]);
  });

  it('reports a repeated problem of a page once, and does not search the page for unknown addresses', () => {
    const files = { '404.html': '<a href="/reference/api/">' };
    expect(problemsOf('<a href="b.html"><a href="b.html">', files)).toHaveLength(1);
  });
});
