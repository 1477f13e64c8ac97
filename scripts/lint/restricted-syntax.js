/*
 * Rules that report a piece of syntax wherever a selector matches it. The selectors are those of
 * ESLint (https://eslint.org/docs/latest/extend/selectors).
 */

/**
 * Creates a rule.
 *
 * @param {readonly (readonly [selector: string, message: string])[]} restrictions
 */
const rule = (restrictions) => ({
  create: (context) =>
    Object.fromEntries(
      restrictions.map(([selector, message]) => [selector, (node) => context.report({ node, message })]),
    ),
});

const clock = [
  "CallExpression[callee.object.name=/^(Date|performance)$/][callee.property.name='now']",
  "NewExpression[callee.name='Date'][arguments.length=0]",
];
const injected = (instead) => `Time is injected: take a scheduler and use ${instead}.`;

export const injectedTime = rule([
  ['CallExpression[callee.name=/^(setTimeout|setInterval|setImmediate)$/]', injected('timer(…, scheduler)')],
  [clock[0], injected('scheduler.now()')],
  [clock[1], injected('new Date(scheduler.now())')],
]);

export const injectedRandomness = rule([
  [
    "CallExpression[callee.object.name='Math'][callee.property.name='random']",
    'Randomness is injected: take random: () => number = Math.random.',
  ],
]);

/** Selects what is named after a seed, and calls of functions that take one. */
const seed = [
  ...[
    'VariableDeclarator[id',
    'Property[key',
    'PropertyDefinition[key',
    'AssignmentPattern[left',
    'AssignmentExpression[left',
  ],
  'CallExpression:not(:has(ArrowFunctionExpression, FunctionExpression))[callee',
].map((kind) => `${kind}.name=/seed(?!ed|ing)|^random/i]`);

export const fixedSeeds = rule([
  [
    "MemberExpression[object.name='Math'][property.name='random']",
    'A test, a tool or a benchmark repeats itself: take random numbers from a fixed seed.',
  ],
  [`:matches(${seed.join(', ')}) :matches(${clock.join(', ')})`, 'A clock is no seed: take a fixed one.'],
]);

/** Some names of this entry are names of rxjs, too, for example filter, map and count. */
export const derivedNamespace = rule([
  [
    "ImportDeclaration[source.value='rx-informers/derived'][importKind='value'] > ImportSpecifier[importKind='value']",
    "Use the entry as a namespace: import * as derived from 'rx-informers/derived'.",
  ],
]);

/**
 * Selects optional properties whose type does not include undefined. With
 * exactOptionalPropertyTypes, `{ linger: settings.linger }` does not compile for such an option.
 */
const notUndefined =
  ':matches(TSMethodSignature, TSPropertySignature:not(:has(TSTypeAnnotation > TSUnionType > TSUndefinedKeyword)):not(:has(TSTypeAnnotation > TSUnknownKeyword)))[optional=true]';

export const exactOptions = rule(
  [
    `TSInterfaceDeclaration[id.name=/(Options|Definition|Request|Props|Limit|Rule|Handler)$/] ${notUndefined}`,
    `Identifier[name=/ptions$/] > TSTypeAnnotation ${notUndefined}`,
  ].map((selector) => [selector, 'An optional property that callers set accepts undefined: write `?: X | undefined`.']),
);

const pipe = "CallExpression[callee.property.name='pipe']";
const subscribe = "CallExpression[callee.property.type='Identifier'][callee.property.name='subscribe']";
const call = (names) => `CallExpression[callee.name=/^(${names})$/]`;
const callback = (from, ...conditions) =>
  ['', ' > ObjectExpression > Property']
    .map(
      (observer) => `${from}${observer} > :matches(ArrowFunctionExpression, FunctionExpression)${conditions.join('')}`,
    )
    .join(', ');
/** The operators that may follow takeUntil, because they keep no subscription that it does not end. */
const afterTakeUntil = call(
  'count|defaultIfEmpty|endWith|every|finalize|isEmpty|last|max|min|reduce|share|shareReplay|skipLast|takeLast|throwIfEmpty|toArray',
);

/** Mistakes with RxJS that can be seen without types. */
export const rxjs = rule([
  [callback(subscribe, '[async=true]'), 'subscribe does not wait for a promise: use concatMap or mergeMap.'],
  [`${pipe} > CallExpression ${subscribe}`, 'An operator does not subscribe: use mergeMap or switchMap.'],
  [
    `${pipe} > ${call('takeUntil')} ~ :not(${afterTakeUntil})`,
    'takeUntil is the last operator: what follows it may keep a subscription.',
  ],
  [
    `:matches(${subscribe}, ${pipe} > ${call('tap')}):matches([arguments.0.type=/Function/], [arguments.1.type=/Function/])[arguments.length>1]`,
    'Pass one observer instead of several callbacks.',
  ],
  [
    `:matches(${call('shareReplay|publishReplay')}, NewExpression[callee.name='ReplaySubject'])[arguments.length=0]`,
    'Without a size, the buffer keeps every value.',
  ],
  [
    `${call('shareReplay')} > :not(ObjectExpression).arguments`,
    'Pass a configuration with refCount. By default, shareReplay keeps its source subscribed.',
  ],
  [`${call('takeWhile')} > ArrowFunctionExpression[params.length=0]`, 'takeWhile depends on the value.'],
  [`${call('repeatWhen|retryWhen')}`, 'Use the option delay of repeat or retry.'],
  [
    "CallExpression[callee.property.name='unsubscribe']:matches([callee.object.name=/\\$$|subject/i], [callee.object.property.name=/\\$$|subject/i])",
    'After unsubscribe, a subject throws for each subscriber: complete it.',
  ],
  [
    `${call('throwError')} > :matches(Literal, TemplateLiteral, ObjectExpression), ${call('throwError')} > ArrowFunctionExpression > :matches(Literal, TemplateLiteral, ObjectExpression).body`,
    'Throw an Error.',
  ],
  [
    "CallExpression[callee.property.name='error'][callee.object.name=/\\$$|subject$|subscriber$|observer$/i] > :matches(Literal, TemplateLiteral).arguments",
    'Notify of an Error.',
  ],
  ["CallExpression[callee.object.name='Observable'][callee.property.name='create']", 'Use new Observable.'],
  ["CallExpression[callee.property.name='toPromise']", 'Use firstValueFrom or lastValueFrom.'],
  ['ImportDeclaration[source.value=/^rxjs\\/(?!testing$|ajax$|fetch$|webSocket$)/]', "Import from 'rxjs'."],
]);

/** Errors and the types of rxjs: these parameters are `any`. In tests they may be. */
export const unknownErrors = rule([
  [
    [
      `${call('catchError')} > :matches(ArrowFunctionExpression, FunctionExpression) > Identifier.params:first-child`,
      `:matches(${subscribe}, ${call('tap')}) > ObjectExpression > Property[key.name='error'] > :matches(ArrowFunctionExpression, FunctionExpression) > Identifier.params:first-child`,
    ]
      .map((parameter) => `${parameter}[typeAnnotation.typeAnnotation.type!='TSUnknownKeyword']`)
      .join(', '),
    'Write (error: unknown). Without a type, it is any.',
  ],
]);

export const nestedSubscribe = rule([
  [
    `:matches(${callback(subscribe)}) ${subscribe}`,
    'A subscription in a subscription is not ended with it: use mergeMap or switchMap.',
  ],
]);
