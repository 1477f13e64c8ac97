import eslint from '@eslint/js';
import { createNodeResolver, importX } from 'eslint-plugin-import-x';
import jest from 'eslint-plugin-jest';
import rxjs from 'eslint-plugin-rxjs-x';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** A folder of src imports only from itself and from folders before it; docs/architecture.md says why. */
const layers = [
  'time',
  'kubernetes',
  'sources',
  'store',
  'queries',
  'operators',
  'informer',
  'derived',
  'views',
  'react',
  'controller',
  'manager',
  'prometheus',
  'opentelemetry',
  'testing',
];

/** Where the machine's own clock is read: requests of Node's client, and the clock that all decisions are made by. */
const realTime = ['src/sources/client/node/**', 'src/time/**', 'src/manager/host.ts'];

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
const ownSource = { regex: '^(rx-informers|(\\.\\./)+(test|examples|bench|scripts)/)', message: 'src stands alone.' };
const pure = { regex: '^rxjs', message: 'Store and queries are pure: no Observable in them.' };
const layersAfter = (layer) => ({
  regex: `^(\\.\\./)+(${layers.slice(layers.indexOf(layer) + 1).join('|')}|index\\.js|node\\.js)(/|$)`,
  message: `src/${layer} imports only from folders before it: ${layers.join(' → ')}.`,
});

/** src/sources has floors: model, then wire, then client and reflector, then what is composed of them. */
const floorsAbove = (...floors) => ({
  regex: `^(\\.\\./)+(${floors.join('|')})(/|$)`,
  message: 'src/sources stands on floors: model → wire → client, reflector → list-watch, merge, overlay, recording.',
});
const composedSources = ['list-watch', 'list-watch-options', 'discover-resource', 'merge', 'overlay', 'recording'].map(
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

/** With exactOptionalPropertyTypes, `{ linger: settings.linger }` compiles only where an option accepts undefined explicitly. */
const notUndefined =
  ':matches(TSMethodSignature, TSPropertySignature:not(:has(TSTypeAnnotation > TSUnionType > TSUndefinedKeyword)):not(:has(TSTypeAnnotation > TSUnknownKeyword)))[optional=true]';
const exactOptions = [
  `TSInterfaceDeclaration[id.name=/(Options|Definition|Request|Props|Limit|Shard|Rule|Handler)$/] ${notUndefined}`,
  `Identifier[name=/ptions$/] > TSTypeAnnotation ${notUndefined}`,
].map((selector) => ({
  selector,
  message: 'An optional property that callers set accepts undefined: write `?: X | undefined`.',
}));

export default defineConfig(
  globalIgnores(['**/dist/', 'temp/', 'coverage/']),
  { linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'error' } },
  eslint.configs.recommended,
  {
    plugins: { 'import-x': importX },
    settings: { 'import-x/resolver-next': [createNodeResolver({ extensionAlias: { '.js': ['.ts', '.tsx', '.js'] } })] },
    rules: {
      eqeqeq: 'error',
      'import-x/first': 'error',
      'import-x/no-duplicates': ['error', { 'prefer-inline': true }],
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
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
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
      // client-node declares its shapes as classes.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      // `!` is banned; where the compiler cannot know, `as T` says what the value is.
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
    files: ['{src,test,examples,bench,scripts}/**/*.{ts,tsx}'],
    // Vite wants its configuration as one.
    ignores: ['**/vite.config.ts'],
    rules: { 'import-x/no-default-export': 'error' },
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    rules: {
      'import-x/no-extraneous-dependencies': ['error', { devDependencies: false, includeTypes: true }],
      'no-console': 'error',
      'no-restricted-syntax': ['error', randomness, ...clock, ...exactOptions],
    },
  },
  restrictImports(['src/index.ts'], inBrowser),
  restrictImports(['src/node.ts']),
  ...layers.map((layer) => restrictImports([`src/${layer}/**`], inBrowser, layersAfter(layer))),
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
  restrictImports(['src/testing/**']),
  // Entry points are lists of names, as long as the public interface.
  {
    files: ['src/**/*.{ts,tsx}'],
    ignores: ['src/*.ts', 'src/*/index.ts'],
    rules: { 'import-x/max-dependencies': ['error', { max: 20, ignoreTypeImports: false }] },
  },
  // Suspending is throwing a promise: `use` is not in React 18.
  {
    files: ['src/react/**'],
    rules: { '@typescript-eslint/only-throw-error': ['error', { allow: [{ from: 'lib', name: 'Promise' }] }] },
  },
  { files: realTime, rules: { 'no-restricted-syntax': ['error', randomness, ...exactOptions] } },
  // Where errors go that no subscriber receives, unless a reporter is given.
  { files: ['src/informer/reports.ts'], rules: { 'no-console': ['error', { allow: ['error', 'warn'] }] } },
  { files: ['src/manager/console-logger.ts'], rules: { 'no-console': ['error', { allow: ['log'] }] } },
  { files: ['src/controller/api/api-call.ts'], rules: { 'no-console': ['error', { allow: ['warn'] }] } },
  {
    files: ['test/**/*.{ts,tsx}'],
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
  { files: ['test/**'], ignores: ['**/*.test.ts'], rules: { 'jest/no-export': 'off' } },
  {
    files: ['**/*.{js,mjs,cjs}'],
    languageOptions: { globals: { URL: 'readonly', fetch: 'readonly', process: 'readonly', require: 'readonly' } },
  },
);
