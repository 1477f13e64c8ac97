import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { folderWith, removeFolders } from '../../test/support/folder.js';
import { makeRelative, placeholderBase as base, preload } from '../scripts/relative-base.js';

afterEach(removeFolders);

/** The file, after the site around it was made relative. */
function relative(file: string, text: string): string {
  const folder = folderWith({ [file]: text });
  makeRelative(folder);
  return readFileSync(`${folder}/${file}`, 'utf8');
}

/** The value of a script of a page, when the site is served from a path. */
function valueOf(script: string, served = '/some/path/'): unknown {
  const [, first = ''] = /<script>([^]*?)<\/script>/.exec(relative('b/a.html', `<head></head>"${base}"`)) ?? [];
  const context = { URL, location: { href: `https://example.com${served}b/a.html` } };
  runInNewContext(first, context);
  return runInNewContext(relative('assets/a.js', script), context);
}

describe('a site with relative URLs', () => {
  it.each([
    ['index.html', 'assets/a.css', './assets/a.css'],
    ['how-to/a.html', 'assets/a.css', '../assets/a.css'],
    ['reference/api/x/a.html', 'how-to/b.html#c', '../../../how-to/b.html#c'],
    ['how-to/a.html', '', '../index.html'],
    ['how-to/a.html', 'reference/api/', '../reference/api/index.html'],
    ['how-to/a.html', 'reference/api/?q=by#x', '../reference/api/index.html?q=by#x'],
  ])('in %s, links to "%s" as %s', (page, path, link) => {
    expect(relative(page, `<head></head><a href="${base}${path}">`)).toContain(`<a href="${link}">`);
  });

  it('has URLs in styles that are relative to the style sheet', () => {
    expect(relative('assets/a.css', `@font-face{src:url(${base}assets/a.woff2)}`)).toContain('url(../assets/a.woff2)');
  });

  it.each([
    ['a text', `("${base}logo.svg")`, '/some/path/logo.svg'],
    ['a text right after a keyword', `(()=>{return"${base}"})()`, '/some/path/'],
    ['a template', `(\`${base}\${"a"}.html\`)`, '/some/path/a.html'],
    ['several texts', `["${base}a",'${base}b'].join()`, '/some/path/a,/some/path/b'],
    ['JSON in a text', `JSON.parse('{"base":"${base}"}').base`, '/some/path/'],
  ])('resolves %s of a script against the place that it is served from', (_, script, value) => {
    expect(valueOf(script)).toBe(value);
    expect(valueOf(script, '/')).toBe(value.replaceAll('/some/path/', '/'));
  });

  it('keeps inline scripts, and rewrites the URLs in them', () => {
    const html = relative(
      'a.html',
      `<head></head><script>go("${base}a")</script><script type="application/ld+json">{"u":"${base}a"}</script>`,
    );
    expect(html).toContain('<script>go( globalThis.__atSiteBase("\\x2f__site_base__/a"))</script>');
    expect(html).toContain('{"u":"./a"}');
  });

  it('does not touch files that do not name the path', () => {
    const script = 'this is { no script';
    expect(relative('a.js', script)).toBe(script);
  });

  it('names the file of a script that cannot be parsed', () => {
    expect(() => relative('assets/a.js', `const = "${base}"`)).toThrow('assets/a.js has a script that cannot be read');
  });
});

describe('a page of the site that loads chunks early', () => {
  const chunks = { 'assets/chunks/host.a_-9.js': '', 'assets/chunks/hostess.b.js': '', 'assets/chunks/host.css': '' };

  it('names the chunks in its head, by their hashed file names', () => {
    const folder = folderWith({ ...chunks, 'playground.html': '<head><title>A</title></head><body></head>' });
    preload(folder, 'playground.html', ['host', 'hostess']);
    makeRelative(folder);
    expect(readFileSync(`${folder}/playground.html`, 'utf8')).toContain(
      '<link rel="modulepreload" href="./assets/chunks/host.a_-9.js"><link rel="modulepreload" href="./assets/chunks/hostess.b.js"></head>',
    );
  });

  it('is not written if a chunk has another name', () => {
    const folder = folderWith({ ...chunks, 'playground.html': '' });
    expect(() => {
      preload(folder, 'playground.html', ['base']);
    }).toThrow('there is no chunk base to load with playground.html');
  });
});
