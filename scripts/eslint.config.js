import eslint from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import { createNodeResolver, importX } from 'eslint-plugin-import-x';
import jest from 'eslint-plugin-jest';
import jsdoc from 'eslint-plugin-jsdoc';
import reactHooks from 'eslint-plugin-react-hooks';
import rxjs from 'eslint-plugin-rxjs-x';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import tseslint from 'typescript-eslint';
import { typedHouses } from './houses.mjs';
import { plainNames } from './project/plain-names.js';
import { rooms, roomsOutOfReach } from './project/rooms.js';

/*
 * The configuration of the whole project. ESLint runs in the root (`npm run lint`), so all paths
 * here are relative to the root. The file is in this folder because the plugins are installed here.
 */

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
const publicRxjs = { regex: '^rxjs/(?!testing$)', message: "Only rxjs's public API." };
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

const restrictImports = (files, ...patterns) => ({
  files,
  rules: {
    '@typescript-eslint/no-restricted-imports': [
      'error',
      { patterns: [publicRxjs, typesOfClientNode, ownSource, ...patterns] },
    ],
  },
});

const clock = [
  ['CallExpression[callee.name=/^(setTimeout|setInterval|setImmediate)$/]', 'timer(…, scheduler)'],
  ["CallExpression[callee.object.name=/^(Date|performance)$/][callee.property.name='now']", 'scheduler.now()'],
  ["NewExpression[callee.name='Date'][arguments.length=0]", 'new Date(scheduler.now())'],
].map(([selector, instead]) => ({ selector, message: `Time is injected: take a scheduler and use ${instead}.` }));
const randomness = {
  selector: "CallExpression[callee.object.name='Math'][callee.property.name='random']",
  message: 'Randomness is injected: take random: () => number = Math.random.',
};

/** Some names of this entry are names of rxjs, too, for example filter, map and count. */
const derivedByName = {
  selector:
    "ImportDeclaration[source.value='rx-informers/derived'][importKind='value'] > ImportSpecifier[importKind='value']",
  message: "Use the entry as a namespace: import * as derived from 'rx-informers/derived'.",
};

/**
 * Selects optional properties whose type does not include undefined. With
 * exactOptionalPropertyTypes, `{ linger: settings.linger }` does not compile for such an option.
 */
const notUndefined =
  ':matches(TSMethodSignature, TSPropertySignature:not(:has(TSTypeAnnotation > TSUnionType > TSUndefinedKeyword)):not(:has(TSTypeAnnotation > TSUnknownKeyword)))[optional=true]';
const exactOptions = [
  `TSInterfaceDeclaration[id.name=/(Options|Definition|Request|Props|Limit|Shard|Rule|Handler)$/] ${notUndefined}`,
  `Identifier[name=/ptions$/] > TSTypeAnnotation ${notUndefined}`,
].map((selector) => ({
  selector,
  message: 'An optional property that callers set accepts undefined: write `?: X | undefined`.',
}));

/** The names that users can import, as the entry points list them. */
const publicNames = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((path) => /^[^/]+\.ts$|^[^/]+\/index\.ts$/.test(path))
  .flatMap((path) => [...readFileSync(`src/${path}`, 'utf8').matchAll(/^export (?:type )?\{([^}]*)\}/gm)])
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

/**
 * The folders whose packages are not installed. The types of these packages are unknown, so the
 * TypeScript files of these folders are left out. In CI all packages are installed.
 */
const leftOut = typedHouses()
  .filter(({ isInstalled }) => !isInstalled)
  .map(({ path }) => path);
if (leftOut.length > 0) {
  const paths = leftOut.join(' ');
  console.warn(
    `ESLint leaves out, because their packages are not installed: ${paths} (node scripts/install.mjs ${paths})`,
  );
}

export default defineConfig(
  globalIgnores([
    ...['**/dist/', '**/dist-server/', 'temp/', 'coverage/', 'src/sources/wire/assembly/', 'site/*', '!site/test/'],
    ...leftOut.map((path) => `${path}/**/*.{ts,tsx}`),
  ]),
  { linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'error' } },
  eslint.configs.recommended,
  {
    plugins: { 'import-x': importX },
    settings: { 'import-x/resolver-next': [createNodeResolver({ extensionAlias: { '.js': ['.ts', '.tsx', '.js'] } })] },
    rules: {
      eqeqeq: 'error',
      'import-x/first': 'error',
      'import-x/no-duplicates': ['error', { 'prefer-inline': true }],
      'import-x/order': [
        'error',
        {
          groups: [['builtin', 'external', 'internal', 'unknown'], 'parent', ['sibling', 'index']],
          alphabetize: { order: 'asc' },
          'newlines-between': 'never',
        },
      ],
      'no-else-return': ['error', { allowElseIf: false }],
      'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx', 'hack'] }],
      'object-shorthand': 'error',
    },
  },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [
      tseslint.configs.strictTypeChecked,
      tseslint.configs.stylisticTypeChecked,
      importX.flatConfigs.typescript,
      rxjs.configs.recommended,
    ],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: join(import.meta.dirname, '..') } },
    rules: {
      '@typescript-eslint/ban-ts-comment': ['error', { 'ts-expect-error': 'allow-with-description' }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/dot-notation': ['error', { allowIndexSignaturePropertyAccess: true }],
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      '@typescript-eslint/no-dynamic-delete': 'off',
      '@typescript-eslint/no-inferrable-types': ['error', { ignoreParameters: true, ignoreProperties: true }],
      // client-node declares the shapes of its objects as classes.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      // `!` is banned. If the compiler cannot know the type of a value, the code states it with
      // `as T`.
      '@typescript-eslint/non-nullable-type-assertion-style': 'off',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_$', ignoreRestSiblings: true },
      ],
      '@typescript-eslint/prefer-nullish-coalescing': ['error', { ignorePrimitives: { string: true } }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    },
  },
  {
    files: ['{src,test,examples,apps,bench,scripts,site}/**/*.{ts,tsx}'],
    // Vite expects its configuration as a default export.
    ignores: ['**/vite.config.ts'],
    rules: { 'import-x/no-default-export': 'error' },
  },
  {
    files: ['{src,test,examples,apps,bench,scripts,site}/**/*.{ts,tsx}'],
    plugins: { project: { rules: { 'plain-names': plainNames } } },
    rules: { 'project/plain-names': 'error' },
  },
  {
    files: ['{test,examples,apps,bench,scripts,site}/**/*.{ts,tsx}'],
    rules: { 'no-restricted-syntax': ['error', derivedByName] },
  },
  {
    // An example can be copied alone. A copy has only the files of its folder and the packages in
    // its package.json.
    files: ['examples/**/*.{ts,tsx}'],
    ignores: ['examples/test/**'],
    rules: {
      'import-x/no-extraneous-dependencies': ['error', { includeTypes: true }],
      'import-x/no-relative-packages': 'error',
    },
  },
  {
    // A product uses the library as its users do. Its tests may read internals.
    files: ['apps/**/*.{ts,tsx}'],
    ignores: ['apps/*/test/**'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        { patterns: [{ regex: '^(\\.\\./)+src/', message: 'A product imports the public entries only.' }] },
      ],
    },
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    rules: {
      'import-x/no-extraneous-dependencies': ['error', { devDependencies: false, includeTypes: true }],
      'no-console': 'error',
      'no-restricted-syntax': ['error', randomness, ...clock, ...exactOptions],
    },
  },
  restrictImports(['src/{index,client,resources,shard,store}.ts'], inBrowser),
  restrictImports(['src/node.ts']),
  ...rooms.map((room) => restrictImports([`src/${room}/**`], inBrowser, layersAfter(room))),
  restrictImports(['src/store/**'], inBrowser, layersAfter('store'), pure),
  restrictImports(['src/queries/**'], inBrowser, layersAfter('queries'), pure),
  restrictImports(
    ['src/sources/model/**'],
    inBrowser,
    layersAfter('sources'),
    floorsAbove('wire', 'client', 'reflector', ...composedSources),
  ),
  restrictImports(
    ['src/sources/wire/**'],
    inBrowser,
    layersAfter('sources'),
    floorsAbove('client', 'reflector', ...composedSources),
  ),
  restrictImports(
    ['src/sources/reflector/**', 'src/sources/client/*.ts'],
    inBrowser,
    layersAfter('sources'),
    floorsAbove(...composedSources),
  ),
  restrictImports(['src/sources/client/node/**'], layersAfter('sources'), floorsAbove(...composedSources)),
  restrictImports(['src/manager/**'], layersAfter('manager')),
  restrictImports(['src/testing/**'], layersAfter('testing')),
  restrictImports(['src/types/**'], layersAfter('types')),
  // An entry point is a list of names, so it is as long as the public interface.
  {
    files: ['src/**/*.{ts,tsx}'],
    ignores: ['src/*.ts', 'src/*/index.ts', 'src/testing/in-memory.ts'],
    rules: { 'import-x/max-dependencies': ['error', { max: 20, ignoreTypeImports: false }] },
  },
  // The rules of React and of its compiler. All rules are errors except one rule. The exception
  // reports where the compiler, which the page does not use, would skip a component because of
  // TanStack Virtual.
  {
    files: ['src/react/**', 'apps/dashboard/page/**'],
    plugins: { 'react-hooks': reactHooks },
    rules: Object.fromEntries(
      Object.keys(reactHooks.configs.flat['recommended-latest'].rules).map((rule) => [
        rule,
        rule.endsWith('/incompatible-library') ? 'off' : 'error',
      ]),
    ),
  },
  // To suspend, a component throws a promise, because React 18 does not have `use`.
  {
    files: ['src/react/**'],
    rules: { '@typescript-eslint/only-throw-error': ['error', { allow: [{ from: 'lib', name: 'Promise' }] }] },
  },
  {
    files: ['{src,test,examples,apps,bench,scripts,site}/**/*.{ts,tsx}'],
    ignores: ['apps/dashboard/page/**'],
    rules: {
      // Rows of tables and lines of examples may be longer, because they cannot be wrapped.
      'max-len': [
        'error',
        { code: 10_000, comments: 100, ignoreUrls: true, ignorePattern: String.raw`^\s*\* (?:\|| {2,})` },
      ],
    },
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    plugins: { jsdoc },
    settings: { jsdoc: { mode: 'typescript', tagNamePreference: { template: 'typeParam' } } },
    rules: {
      'jsdoc/check-alignment': 'error',
      'jsdoc/check-param-names': ['error', { checkDestructured: false, disableMissingParamChecks: true }],
      'jsdoc/check-tag-names': ['error', { typed: true, definedTags: ['typeParam'] }],
      'jsdoc/empty-tags': 'error',
      'jsdoc/match-description': ['error', { contexts: publicFunctions, matchDescription: verbFirst }],
      'jsdoc/no-bad-blocks': 'error',
      'jsdoc/no-types': 'error',
      'jsdoc/require-description': ['error', { contexts: [...publicFunctions, ...publicTypes] }],
      'jsdoc/require-jsdoc': [
        'error',
        {
          require: { FunctionDeclaration: false },
          contexts: [...publicFunctions, ...publicTypes],
          enableFixer: false,
        },
      ],
      'jsdoc/require-param': ['error', { checkDestructured: false, contexts: publicFunctions }],
      'jsdoc/require-param-description': 'error',
      'jsdoc/require-returns': ['error', { contexts: publicFunctions }],
      'jsdoc/require-returns-description': 'error',
      'jsdoc/require-throws': ['error', { contexts: publicFunctions }],
      'jsdoc/require-throws-description': 'error',
    },
  },
  // An interface keeps its name in the declarations of a user's library. An alias does not.
  {
    files: ['src/kubernetes/resources/**'],
    rules: { '@typescript-eslint/no-empty-object-type': ['error', { allowInterfaces: 'with-single-extends' }] },
  },
  { files: realTime, rules: { 'no-restricted-syntax': ['error', randomness, ...exactOptions] } },
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
    extends: [jest.configs['flat/recommended']],
    rules: {
      '@typescript-eslint/no-base-to-string': 'off',
      '@typescript-eslint/no-empty-function': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/unbound-method': 'off',
      'rxjs-x/no-implicit-any-catch': 'off',
      'rxjs-x/no-nested-subscribe': 'off',
      'jest/expect-expect': [
        'error',
        { assertFunctionNames: ['expect*', '**.expect*', 'marbles', 'fc.assert', 'assert*'] },
      ],
      'jest/no-commented-out-tests': 'error',
      'jest/no-disabled-tests': 'error',
      'jest/no-standalone-expect': [
        'error',
        { additionalTestBlockFunctions: ['beforeAll', 'beforeEach', 'afterEach', 'afterAll'] },
      ],
    },
  },
  { files: ['**/test/**'], ignores: ['**/*.test.ts'], rules: { 'jest/no-export': 'off' } },
  {
    files: ['**/*.{js,mjs,cjs}'],
    languageOptions: {
      globals: { URL: 'readonly', console: 'readonly', fetch: 'readonly', process: 'readonly', require: 'readonly' },
    },
  },
);
