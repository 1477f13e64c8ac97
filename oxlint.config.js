import { readdirSync, readFileSync } from 'node:fs';
import { rooms, roomsOutOfReach } from './scripts/project/rooms.js';

/*
 * The configuration of oxlint for the whole project (`npm run lint`). It is in the root because its
 * paths are relative to its folder; oxlint and the plugins are packages of `scripts`.
 */

const all = '{src,test,examples,apps,bench,scripts,site}/**/*.{ts,tsx}';

/**
 * The files that may read the machine's own clock: requests of Node's client, the clock on which
 * all decisions depend, and reports of development.
 */
const realTime = [
  'src/sources/client/node/**',
  'src/scheduling/**',
  'src/manager/host.ts',
  'src/kubernetes/development.ts',
];

const inBrowser = {
  regex:
    '^(node:|(assert|buffer|child_process|crypto|events|fs|http|http2|https|net|os|path|stream|tls|url|util|zlib)(/|$))',
  message: 'src/index.ts and what it reaches runs in a browser; what needs Node is an entry point of its own.',
};
const typesOfClientNode = {
  regex: '^@kubernetes/client-node',
  allowTypeImports: true,
  message: 'client-node is an optional peer: import its types only, or accept a structural type.',
};
const ownSource = {
  regex: '^(rx-informers|(\\.\\./)+(test|examples|apps|bench|scripts)/)',
  message: 'src stands alone.',
};
const pure = { regex: '^rxjs', message: 'Store and queries are pure: no Observable in them.' };
const layersAfter = (room) => ({
  regex: `^(\\.\\./)+(${[...roomsOutOfReach(room), 'index\\.js', 'node\\.js'].join('|')})(/|$)`,
  message: `src/${room} imports only from rooms before it, and no other house than the core (scripts/project/rooms.js).`,
});

/**
 * The layers of src/sources: model, then wire, then client and reflector, then the modules that are
 * composed of them.
 */
const floorsAbove = (...floors) => ({
  regex: `^(\\.\\./)+(${floors.join('|')})(/|$)`,
  message: 'src/sources stands on floors: model → wire → client, reflector → list-watch, merge, overlay, recording.',
});
const composedSources = ['list-watch', 'list-watch-options', 'merge', 'overlay', 'recording'].map(
  (name) => `${name}(\\.js)?`,
);

/** Allows the packages in the package.json of a folder. */
const packagesOf = (folder, ...kinds) => {
  const from = `${folder}package.json`;
  const json = JSON.parse(readFileSync(new URL(from, import.meta.url), 'utf8'));
  const packages = kinds.flatMap((kind) => Object.keys(json[kind] ?? {}));
  return { 'project/declared-packages': ['error', { packages, from }] };
};
const restrictImports = (files, ...patterns) => ({
  files,
  rules: { 'no-restricted-imports': ['error', { patterns }] },
});
const restrictSource = (files, ...patterns) => restrictImports(files, typesOfClientNode, ownSource, ...patterns);

/**
 * An example can be copied alone. A copy has only the files of its folder and the packages in its
 * package.json.
 */
const examples = readdirSync(new URL('examples', import.meta.url), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !/^(test|node_modules|dist)$/.test(entry.name))
  .map(({ name }) => name);
/** Forbids relative imports that leave the folder of an example. */
const outside = (depth) => ({ regex: `^(\\.\\./){${depth}}`, message: 'An example stands alone: it can be copied.' });

/** The names that users can import, as the entry points list them. */
const publicNames = readdirSync(new URL('src', import.meta.url), { recursive: true, encoding: 'utf8' })
  .filter((path) => /^[^/]+\.ts$|^[^/]+\/index\.ts$/.test(path))
  .map((path) => readFileSync(new URL(`src/${path}`, import.meta.url), 'utf8'))
  .flatMap((text) => [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)])
  .flatMap(([, names]) => names.replace(/\/\/.*/g, '').split(','))
  .map((name) => name.trim().replace(/^type |\s.*$/g, ''))
  .filter((name) => name !== '');
const isPublic = `[id.name=/^(?:${publicNames.join('|').replaceAll('$', String.raw`\$`)})$/]`;
const publicDeclaration = (...types) => types.map((type) => `ExportNamedDeclaration > ${type}${isPublic}`);
const publicFunctions = publicDeclaration('FunctionDeclaration', 'TSDeclareFunction');
const publicTypes = publicDeclaration('ClassDeclaration', 'TSInterfaceDeclaration', 'TSTypeAliasDeclaration');

/**
 * Matches a doc comment that begins with a verb in the third person, for example Returns, Emits or
 * Creates. The doc comment of a public function must match.
 */
const verbFirst = String.raw`^(?!(?:This|As|Whether|Is|Has|Was|Does|Its|Always|Yes|Others|Less|Keys|Values|Objects)\b)[A-Z][a-z]+s\b[\s\S]*`;

const errors = (...rules) => Object.fromEntries(rules.map((rule) => [rule, 'error']));
const off = (...rules) => Object.fromEntries(rules.map((rule) => [rule, 'off']));

export default {
  plugins: ['oxc', 'typescript', 'import'],
  jsPlugins: ['./scripts/lint/plugin.js'],
  categories: { correctness: 'error' },
  options: { typeAware: true, denyWarnings: true, respectEslintDisableDirectives: false },
  env: { builtin: true, node: true },
  settings: { jsdoc: { mode: 'typescript', tagNamePreference: { template: 'typeParam' } } },
  ignorePatterns: [
    ...['**/dist/', '**/dist-server/', 'temp/', 'coverage/', 'src/sources/wire/assembly/'],
    ...['site/*', '!site/test/'],
  ],
  rules: {
    // Mistakes that are not in the category correctness.
    ...errors(
      'eqeqeq',
      'import/first',
      'no-array-constructor',
      'no-case-declarations',
      'no-empty',
      'no-fallthrough',
      'no-prototype-builtins',
      'no-regex-spaces',
      'no-unexpected-multiline',
      'no-useless-assignment',
      'object-shorthand',
      'preserve-caught-error',
      'project/import-order',
    ),
    ...off(
      // The compiler reports these.
      'import/default',
      'import/namespace',
      // They report correct code: a parameter that the type of a callback makes optional, and
      // strings, of which the type is not known to be an array of strings.
      'typescript/no-useless-default-assignment',
      'typescript/require-array-sort-compare',
    ),
    'import/no-duplicates': ['error', { 'prefer-inline': true }],
    'no-else-return': ['error', { allowElseIf: false }],
    'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx', 'hack'] }],
  },
  overrides: [
    // In TypeScript, the compiler reports these.
    { files: ['**/*.{js,mjs,cjs}'], rules: errors('no-redeclare', 'no-undef') },
    {
      files: ['**/*.{ts,tsx}'],
      rules: {
        ...errors(
          'no-empty-function',
          'no-useless-constructor',
          'no-var',
          'prefer-const',
          'prefer-rest-params',
          'prefer-spread',
          'typescript/adjacent-overload-signatures',
          'typescript/array-type',
          'typescript/ban-tslint-comment',
          'typescript/class-literal-property-style',
          'typescript/consistent-generic-constructors',
          'typescript/consistent-indexed-object-style',
          'typescript/consistent-type-assertions',
          'typescript/consistent-type-definitions',
          'typescript/no-confusing-non-null-assertion',
          'typescript/no-deprecated',
          'typescript/no-empty-object-type',
          'typescript/no-explicit-any',
          'typescript/no-extraneous-class',
          'typescript/no-generated-empty-object-type',
          'typescript/no-invalid-void-type',
          'typescript/no-misused-promises',
          'typescript/no-mixed-enums',
          'typescript/no-namespace',
          'typescript/no-non-null-asserted-nullish-coalescing',
          'typescript/no-non-null-assertion',
          'typescript/no-require-imports',
          'typescript/no-unnecessary-boolean-literal-compare',
          'typescript/no-unnecessary-condition',
          'typescript/no-unnecessary-template-expression',
          'typescript/no-unnecessary-type-arguments',
          'typescript/no-unnecessary-type-assertion',
          'typescript/no-unnecessary-type-constraint',
          'typescript/no-unnecessary-type-conversion',
          'typescript/no-unnecessary-type-parameters',
          'typescript/no-unsafe-argument',
          'typescript/no-unsafe-assignment',
          'typescript/no-unsafe-call',
          'typescript/no-unsafe-enum-assignment',
          'typescript/no-unsafe-enum-comparison',
          'typescript/no-unsafe-function-type',
          'typescript/no-unsafe-member-access',
          'typescript/no-unsafe-return',
          'typescript/only-throw-error',
          'typescript/prefer-find',
          'typescript/prefer-for-of',
          'typescript/prefer-function-type',
          'typescript/prefer-includes',
          'typescript/prefer-literal-enum-member',
          'typescript/prefer-optional-chain',
          'typescript/prefer-promise-reject-errors',
          'typescript/prefer-reduce-type-parameter',
          'typescript/prefer-regexp-exec',
          'typescript/prefer-return-this-type',
          'typescript/prefer-string-starts-ends-with',
          'typescript/related-getter-setter-pairs',
          'typescript/require-await',
          'typescript/restrict-plus-operands',
          'typescript/return-await',
          'typescript/unified-signatures',
          'typescript/use-unknown-in-catch-callback-variable',
        ),
        'no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_$', ignoreRestSiblings: true }],
        'typescript/ban-ts-comment': ['error', { 'ts-expect-error': 'allow-with-description' }],
        'typescript/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
        'typescript/dot-notation': ['error', { allowIndexSignaturePropertyAccess: true }],
        'typescript/no-confusing-void-expression': [
          'error',
          { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
        ],
        'typescript/no-inferrable-types': ['error', { ignoreParameters: true, ignoreProperties: true }],
        'typescript/prefer-nullish-coalescing': ['error', { ignorePrimitives: { string: true } }],
        'typescript/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
        'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
        ...errors(
          'project/rxjs',
          'project/unknown-errors',
          'project/no-nested-subscribe',
          'project/no-redundant-notify',
        ),
      },
    },
    { files: [all], rules: errors('import/no-default-export', 'project/plain-names') },
    // Vite expects its configuration as a default export, and test files expect that of fast-check.
    { files: ['**/vite.config.ts', 'test/support/fast-check.ts'], rules: off('import/no-default-export') },
    { files: [all], excludeFiles: ['apps/dashboard/page/**'], rules: errors('project/comment-width') },
    { files: ['{test,examples,apps,bench,scripts,site}/**/*.{ts,tsx}'], rules: errors('project/derived-namespace') },
    { files: ['{test,scripts,bench}/**', 'apps/*/test/**'], rules: errors('project/fixed-seeds') },
    // The first two give Math.random a seed, and the third one names it as the default of an option.
    {
      files: ['test/support/seed{,ed-random}{,.test}.ts', 'test/informer/informer-registry.test.ts'],
      rules: off('project/fixed-seeds'),
    },
    ...examples.flatMap((name) => [
      { files: [`examples/${name}/**`], rules: packagesOf(`examples/${name}/`, 'dependencies', 'devDependencies') },
      restrictImports([`examples/${name}/*`], outside(1)),
      restrictImports([`examples/${name}/*/**`], outside(2)),
    ]),
    // A product uses the library as its users do. Its tests may read internals.
    {
      ...restrictImports(['apps/**/*.{ts,tsx}'], {
        regex: '^(\\.\\./)+src/',
        message: 'A product imports the public entries only.',
      }),
      excludeFiles: ['apps/*/test/**'],
    },
    {
      files: ['src/**/*.{ts,tsx}'],
      rules: {
        ...errors('no-console', 'project/exact-options', 'project/injected-randomness', 'project/injected-time'),
        ...packagesOf('', 'dependencies', 'peerDependencies'),
      },
    },
    { files: realTime, rules: off('project/injected-time') },
    restrictSource(['src/**/*.{ts,tsx}']),
    restrictSource(['src/{index,client,resources,store}.ts'], inBrowser),
    ...rooms.map((room) => restrictSource([`src/${room}/**`], inBrowser, layersAfter(room))),
    restrictSource(['src/store/**'], inBrowser, layersAfter('store'), pure),
    restrictSource(['src/queries/**'], inBrowser, layersAfter('queries'), pure),
    restrictSource(
      ['src/sources/model/**'],
      inBrowser,
      layersAfter('sources'),
      floorsAbove('wire', 'client', 'reflector', ...composedSources),
    ),
    restrictSource(
      ['src/sources/wire/**'],
      inBrowser,
      layersAfter('sources'),
      floorsAbove('client', 'reflector', ...composedSources),
    ),
    restrictSource(
      ['src/sources/reflector/**', 'src/sources/client/*.ts'],
      inBrowser,
      layersAfter('sources'),
      floorsAbove(...composedSources),
    ),
    restrictSource(['src/sources/client/node/**'], layersAfter('sources'), floorsAbove(...composedSources)),
    restrictSource(['src/manager/**'], layersAfter('manager')),
    restrictSource(['src/testing/**'], layersAfter('testing')),
    restrictSource(['src/types/**'], layersAfter('types')),
    // The command loads client-node when it reads a cluster.
    restrictImports(['src/types/read-documents.ts'], ownSource, layersAfter('types')),
    // An entry point is a list of names, so it is as long as the public interface.
    {
      files: ['src/**/*.{ts,tsx}'],
      excludeFiles: ['src/*.ts', 'src/*/index.ts', 'src/testing/in-memory.ts'],
      rules: { 'import/max-dependencies': ['error', { max: 20, ignoreTypeImports: false }] },
    },
    // One rule of React's compiler is off: it reports where the compiler, which the page does not
    // use, would skip a component because of TanStack Virtual.
    {
      files: ['src/react/**', 'apps/dashboard/page/**'],
      plugins: ['react'],
      rules: {
        ...errors('react/rules-of-hooks', 'react/unsupported-syntax'),
        ...off('react/incompatible-library', 'react/jsx-key'),
      },
    },
    // To suspend, a component throws a promise, because React 18 does not have `use`.
    {
      files: ['src/react/**'],
      rules: { 'typescript/only-throw-error': ['error', { allow: [{ from: 'lib', name: 'Promise' }] }] },
    },
    {
      files: ['src/**/*.{ts,tsx}'],
      plugins: ['jsdoc'],
      jsPlugins: ['./scripts/lint/docs.js'],
      rules: {
        'docs/check-alignment': 'error',
        'docs/check-param-names': ['error', { checkDestructured: false, disableMissingParamChecks: true }],
        'jsdoc/check-tag-names': ['error', { typed: true, definedTags: ['packageDocumentation', 'typeParam'] }],
        ...off('jsdoc/require-yields'),
        'jsdoc/empty-tags': 'error',
        'docs/match-description': ['error', { contexts: publicFunctions, matchDescription: verbFirst }],
        'docs/no-bad-blocks': 'error',
        'docs/no-types': 'error',
        'docs/require-description': ['error', { contexts: [...publicFunctions, ...publicTypes] }],
        'docs/require-jsdoc': [
          'error',
          {
            require: { FunctionDeclaration: false },
            contexts: [...publicFunctions, ...publicTypes],
            enableFixer: false,
          },
        ],
        'docs/require-param': ['error', { checkDestructured: false, contexts: publicFunctions }],
        'jsdoc/require-param-description': 'error',
        'docs/require-returns': ['error', { contexts: publicFunctions }],
        'jsdoc/require-returns-description': 'error',
        'docs/require-throws': ['error', { contexts: publicFunctions }],
        'jsdoc/require-throws-description': 'error',
      },
    },
    // An interface keeps its name in the declarations of a user's library. An alias does not.
    {
      files: ['src/kubernetes/resources/**'],
      rules: { 'typescript/no-empty-object-type': ['error', { allowInterfaces: 'with-single-extends' }] },
    },
    // These files may write to the console. The first two write errors that no subscriber receives,
    // unless a reporter or a logger is given; the third one warns in development.
    {
      files: ['src/collections/reports.ts', 'src/controller/logger.ts', 'src/kubernetes/development.ts'],
      rules: { 'no-console': ['error', { allow: ['error', 'warn'] }] },
    },
    { files: ['src/manager/console-logger.ts'], rules: { 'no-console': ['error', { allow: ['log'] }] } },
    { files: ['src/requests/resource-client/api-call.ts'], rules: { 'no-console': ['error', { allow: ['warn'] }] } },
    {
      files: ['**/test/**/*.{ts,tsx}'],
      plugins: ['jest'],
      rules: {
        ...off(
          'no-empty-function',
          'project/no-nested-subscribe',
          'project/unknown-errors',
          'typescript/no-base-to-string',
          'typescript/no-non-null-assertion',
          'typescript/no-unsafe-argument',
          'typescript/no-unsafe-assignment',
          'typescript/no-unsafe-return',
          'typescript/require-await',
          'typescript/unbound-method',
        ),
        ...errors(
          'jest/no-alias-methods',
          'jest/no-commented-out-tests',
          'jest/no-deprecated-functions',
          'jest/no-done-callback',
          'jest/no-identical-title',
          'jest/no-interpolation-in-snapshots',
          'jest/no-jasmine-globals',
          'jest/no-mocks-import',
          'jest/no-test-prefixes',
        ),
        'jest/expect-expect': [
          'error',
          { assertFunctionNames: ['expect*', '**.expect*', 'marbles', 'fc.assert', 'assert*'] },
        ],
        'jest/no-standalone-expect': [
          'error',
          { additionalTestBlockFunctions: ['beforeAll', 'beforeEach', 'afterEach', 'afterAll'] },
        ],
      },
    },
    { files: ['**/test/**'], excludeFiles: ['**/*.test.ts'], rules: off('jest/no-export') },
  ],
};
