import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type HeadConfig } from 'vitepress';
import { pagesByKind, pagesForContributors } from '../../scripts/docs/pages.js';
import { entryPoints } from '../../scripts/project/entry-points.js';
import { playgroundMarkdown } from '../playground/markdown.js';
import { playgroundVite } from '../playground/vite.js';
import { accessibleTheme } from './accessible-theme.js';
import { anchorsOfRules, githubSlug, linksOutOfDocs, noEmptyHeadings, rulesAsSections } from './markdown.js';
import { promql } from './promql.js';
import { apiPages, firstPage, sidebar } from './sidebar.js';

const project = fileURLToPath(new URL('../..', import.meta.url));
const docs = `${project}docs`;
const repository = 'https://github.com/rx-informers/rx-informers';
const { version, description } = JSON.parse(readFileSync(`${project}package.json`, 'utf8')) as Record<string, string>;

/**
 * The URL of the published site. Only addresses that must be absolute need it: the picture of a
 * shared link, and the site map.
 */
const publishedAt = process.env['SITE_URL']?.replace(/\/?$/, '/');

/** The versions for the menu. scripts/build-versions.ts sets the tag. */
const versions = { version, tag: process.env['SITE_TAG'] };

const items = sidebar(pagesByKind(), apiPages(docs));
/**
 * The base of all addresses. During a build it is a placeholder that scripts/relative-base.ts
 * removes again.
 */
const base = process.env['SITE_BASE'] ?? '/';

export default defineConfig({
  srcDir: docs,
  // The landing page replaces docs/README.md, the list of the pages.
  srcExclude: ['README.md'],
  rewrites: Object.fromEntries(
    ['cookbook', 'contributing', 'contributing/decisions'].map((folder) => [
      `${folder}/README.md`,
      `${folder}/index.md`,
    ]),
  ),
  outDir: `${project}site/dist`,
  cacheDir: `${project}site/.cache`,
  base,
  lang: 'en',
  title: 'rx-informers',
  titleTemplate: ':title · rx-informers',
  description: description ?? '',
  // Links keep the ending `.html`, so that they work on every host, and most of them without a
  // server.
  cleanUrls: false,
  ignoreDeadLinks: 'localhostLinks',
  metaChunk: true,
  // The sidebar links to all pages. With prefetching, a visit would load all of them.
  router: { prefetchLinks: false },
  head: [
    ['link', { rel: 'icon', type: 'image/svg+xml', href: `${base}logo.svg` }],
    ['meta', { name: 'theme-color', content: '#1757c2' }],
    ['meta', { property: 'og:type', content: 'website' }],
    ['meta', { property: 'og:site_name', content: 'rx-informers' }],
    ['meta', { property: 'og:image', content: `${publishedAt ?? base}og.png` }],
    ['meta', { property: 'og:image:width', content: '1200' }],
    ['meta', { property: 'og:image:height', content: '630' }],
    ['meta', { name: 'twitter:card', content: 'summary_large_image' }],
  ],
  transformHead({ title, description: text }): HeadConfig[] {
    return [
      ['meta', { property: 'og:title', content: title }],
      ['meta', { property: 'og:description', content: text }],
    ];
  },
  ...(publishedAt === undefined ? {} : { sitemap: { hostname: publishedAt } }),
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-default' },
    anchor: { slugify: githubSlug },
    languages: [promql],
    config(md) {
      noEmptyHeadings(md);
      linksOutOfDocs(md, project, repository);
      anchorsOfRules(md);
      playgroundMarkdown(md, docs);
    },
  },
  vite: {
    publicDir: `${project}site/public`,
    plugins: [accessibleTheme(), ...playgroundVite()],
    resolve: {
      alias: entryPoints.map(({ specifier, source }) => ({
        find: new RegExp(`^${specifier}$`),
        replacement: project + source,
      })),
    },
    build: { chunkSizeWarningLimit: 4000 },
    server: { fs: { allow: [project] } },
  },
  themeConfig: {
    ...versions,
    logo: { src: '/logo.svg', alt: '' },
    nav: [
      { text: 'Docs', link: firstPage(items), activeMatch: '^/(tutorials|cookbook|how-to|explanation)/' },
      { text: 'Reference', link: '/reference/operators', activeMatch: '^/reference/(?!api/)' },
      { text: 'API', link: '/reference/api/', activeMatch: '^/reference/api/' },
      ...(existsSync(`${docs}/playground.md`) ? [{ text: 'Playground', link: '/playground' }] : []),
      { component: 'VersionMenu' },
    ],
    sidebar: { '/contributing/': sidebar(pagesForContributors(), []), '/': items },
    outline: { level: [2, 3], label: 'On this page' },
    search: {
      provider: 'local',
      options: {
        miniSearch: {
          searchOptions: {
            // A question leads to a page of the guide before it leads to a name of the API.
            boostDocument: (id: string) =>
              /\/reference\/api\//.test(id) ? 0.6 : /\/cookbook\/|\/troubleshooting/.test(id) ? 1.6 : 1,
          },
        },
        // In the reference, each name is one entry of the search index. The parts of its
        // description are not entries.
        _render(source, env, md) {
          const html = md.render(source, env);
          const { frontmatter, relativePath } = env as { frontmatter?: { search?: boolean }; relativePath: string };
          if (frontmatter?.search === false || relativePath.startsWith('contributing/')) return '';
          if (!relativePath.startsWith('reference/api/')) return rulesAsSections(html);
          return html.replace(/<h[3-6][^]*?<\/h[3-6]>/g, '').replace(/<(pre|table)[^]*?<\/\1>/g, '');
        },
      },
    },
    editLink: { pattern: `${repository}/edit/main/docs/:path`, text: 'Edit this page' },
    socialLinks: [{ icon: 'github', link: repository, ariaLabel: 'Repository on GitHub' }],
    docFooter: { prev: 'Previous', next: 'Next' },
  },
});
