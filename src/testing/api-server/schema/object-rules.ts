import { warnOfMistake } from '../../../kubernetes/development.js';
import { invalidOptionError } from '../../../kubernetes/errors.js';
import type { FieldProblem } from '../exchange/api-error.js';
import { isJsonObject, objectField, objectsAt, stringAt, type JsonObject } from '../exchange/json.js';
import type { ObjectRules, RuleFunctions, ScalePaths, Schema } from '../resources/catalog.js';
import { complete, defaultsIn } from './defaults.js';
import { goJson, goTypeOf, goValue, shownValue } from './go-text.js';
import { customSchema } from './schema.js';
import { labelProblems } from './validate-metadata.js';
import { compileValidator, fieldBefore, isUnchanged, itemsByKey, schemaAt, type Previous } from './validate-value.js';

/** Returns the rules for the objects of one version of a definition; compiled at the first use. */
export function objectRules(
  definition: string,
  schema: Schema,
  { scale, functions }: { readonly scale: ScalePaths | undefined; readonly functions: RuleFunctions | undefined },
): ObjectRules {
  let validators: { readonly object: ReturnType<typeof compileValidator>; readonly extras: Extras } | undefined;
  const compiled = () =>
    (validators ??= {
      object: compileValidator(schema, (pattern) =>
        reportOnce(
          `${definition}: the pattern ${pattern} has no equivalent in JavaScript, so no value is checked against it.`,
        ),
      ),
      extras: extrasOf(definition, schema, functions),
    });
  let status: ReturnType<typeof compileValidator> | undefined;
  const statusSchema = schema.properties?.['status'];
  const whole = customSchema(schema);
  const defaults = defaultsIn(nodesIn(whole));
  return {
    complete: (object, keepsNulls) => complete(whole, object, keepsNulls, defaults) as JsonObject,
    problems: (next, current, subresource) => {
      const { object, extras } = compiled();
      const problems: FieldProblem[] = [];
      const previous = current && { value: current };
      if (subresource !== 'status') problems.push(...object(next, previous, ''));
      else if (statusSchema !== undefined && Object.hasOwn(next, 'status')) {
        status ??= compileValidator(statusSchema, () => undefined);
        problems.push(...status(next['status'], fieldBefore(previous, 'status'), 'status'));
      }
      if (scale !== undefined) problems.push(...scaleProblems(scale, next, subresource));
      return [...problems, ...extras(next, current, subresource, problems)];
    },
  };
}

/** Throws if a function is for a rule that no version of the definition has. */
export function assertRulesKnown(definition: JsonObject, functions: RuleFunctions): void {
  const schemas = objectsAt(objectField(definition, 'spec'), 'versions').map((version) =>
    objectField(objectField(version, 'schema'), 'openAPIV3Schema'),
  );
  const rules = schemas.flatMap((schema) => nodesIn(schema as Schema)).flatMap(rulesOf);
  const unknown = Object.keys(functions).find((text) => !rules.some(({ rule }) => rule === text));
  if (unknown === undefined) return;
  const expected = 'named by the text of rules in x-kubernetes-validations of the definition';
  throw invalidOptionError('validations of server.apply', unknown, expected);
}

const reported = new Set<string>();

function reportOnce(text: string): void {
  if (reported.has(text)) return;
  reported.add(text);
  warnOfMistake(text);
}

function scaleProblems(scale: ScalePaths, object: JsonObject, subresource: string): readonly FieldProblem[] {
  const numbers = [...(subresource === 'status' ? [] : [scale.specReplicasPath]), scale.statusReplicasPath];
  const problems = numbers.map((path) => scaleProblem(object, path, 'int64'));
  if (scale.labelSelectorPath !== undefined) problems.push(scaleProblem(object, scale.labelSelectorPath, 'string'));
  return problems.filter((problem) => problem !== undefined);
}

function scaleProblem(object: JsonObject, field: string, type: 'int64' | 'string'): FieldProblem | undefined {
  const invalid = (text: string, shown: unknown): FieldProblem => {
    return { reason: 'FieldValueInvalid', field, message: `Invalid value: ${shownValue(shown)}: ${text}` };
  };
  const empty = type === 'string' ? '' : 0;
  let value: unknown = object;
  let path = '';
  for (const step of field.replace(/^\./, '').split('.')) {
    path += `.${step}`;
    if (!isJsonObject(value)) return invalid(accessorProblem(path, value, 'map[string]interface{}'), empty);
    if (!Object.hasOwn(value, step)) return undefined;
    value = value[step];
  }
  if (goTypeOf(value) !== type) return invalid(accessorProblem(path, value, type), empty);
  if (Number(value) < 0) return invalid('should be a non-negative integer', value);
  const most = 2 ** 31 - 1;
  return Number(value) > most ? invalid(`should be less than or equal to ${most}`, value) : undefined;
}

function accessorProblem(path: string, value: unknown, expected: string): string {
  return `${path} accessor error: ${goValue(value)} is of the type ${goTypeOf(value)}, expected ${expected}`;
}

/** The checks after those of the schema, which get the problems that the schema has found. */
type Extras = (
  next: JsonObject,
  current: JsonObject | undefined,
  subresource: string,
  ofSchema: readonly FieldProblem[],
) => readonly FieldProblem[];

/** Checks embedded objects, lists of the types `set` and `map`, and rules with functions. */
function extrasOf(definition: string, schema: Schema, functions: RuleFunctions | undefined): Extras {
  const nodes = nodesIn(schema);
  const lists = schemasAbove(nodes, (node) => ['set', 'map'].includes(String(node['x-kubernetes-list-type'])));
  const embedded = schemasAbove(nodes, (node) => node['x-kubernetes-embedded-resource'] === true);
  const withRules = schemasAbove(nodes, (node) => rulesOf(node).length > 0);
  const rules = nodes.flatMap((node) => rulesOf(node)).map((rule) => stringAt(rule, 'rule') ?? '');
  const unevaluated = new Set(rules.filter((rule) => functions?.[rule] === undefined));
  if (unevaluated.size > 0 && functions === undefined)
    reportOnce(
      `${definition} has ${unevaluated.size} rules in x-kubernetes-validations, which the embedded API server does not evaluate. Pass functions for them: server.apply(definition, { validations }).`,
    );
  const listProblems = (object: JsonObject): readonly FieldProblem[] =>
    valuesIn(lists, schema, object).flatMap(listTypeProblems);
  return (next, current, subresource, ofSchema) => {
    const problems: FieldProblem[] = [];
    if (subresource !== 'status') problems.push(...valuesIn(embedded, schema, next).flatMap(embeddedProblems));
    const found = listProblems(next);
    if (found.length > 0 && (current === undefined || listProblems(current).length === 0)) problems.push(...found);
    if (rules.length === 0) return problems;
    if ([...ofSchema, ...problems].some(({ reason }) => blocking.has(reason))) return [...problems, rulesNotChecked];
    if (functions === undefined) return problems;
    const previous = current && { value: current };
    return [
      ...problems,
      ...valuesIn(withRules, schema, next, previous).flatMap((each) => ruleProblems(each, functions)),
    ];
  };
}

/** After these problems, the real server evaluates no rule. */
const blocking: ReadonlySet<FieldProblem['reason']> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
] as const);

const rulesNotChecked: FieldProblem = {
  reason: 'FieldValueInvalid',
  field: '<nil>',
  message:
    'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
};

function nodesIn(schema: Schema): readonly Schema[] {
  return [schema, ...schemasInside(schema).flatMap(nodesIn)];
}

function schemasInside({ properties = {}, additionalProperties, items, allOf = [] }: Schema): readonly Schema[] {
  const others = typeof additionalProperties === 'object' ? [additionalProperties] : [];
  return [...Object.values(properties), ...others, ...(items ? [items] : []), ...allOf];
}

/** Returns the schemas for which `isWanted` is true, and all around them. */
function schemasAbove(nodes: readonly Schema[], isWanted: (node: Schema) => boolean): ReadonlySet<Schema> {
  const above = new Set<Schema>();
  // A schema comes before those inside of it.
  for (const node of nodes.toReversed())
    if (isWanted(node) || schemasInside(node).some((inside) => above.has(inside))) above.add(node);
  return above;
}

/** A value inside of an object, with its schema, its path, and its value before an update. */
interface Place {
  readonly schema: Schema;
  readonly value: unknown;
  readonly path: string;
  readonly previous: Previous | undefined;
  /** True if an ancestor of the value is unchanged. */
  readonly isUnchanged: boolean;
}

/** @param within the schemas of the values to visit; a value of another schema has none inside */
function valuesIn(
  within: ReadonlySet<Schema>,
  schema: Schema,
  value: unknown,
  previous?: Previous,
  path = '',
  isInside = false,
): readonly Place[] {
  if (!within.has(schema)) return [];
  const unchanged = isInside || isUnchanged(schema, value, previous);
  const places: Place[] = [{ schema, value, path, previous, isUnchanged: unchanged }];
  const add = (inside: Schema, each: unknown, before: Previous | undefined, at: string): void => {
    for (const place of valuesIn(within, inside, each, before, at, unchanged)) places.push(place);
  };
  const { items, allOf = [] } = schema;
  for (const branch of allOf) if (rulesOf(branch).length > 0) add(branch, value, previous, path);
  if (Array.isArray(value) && items !== undefined) {
    const before = previous && itemsByKey(schema, previous.value);
    (value as readonly unknown[]).forEach((item, index) => add(items, item, before?.(item), `${path}[${index}]`));
  } else if (isJsonObject(value)) {
    for (const [field, each] of Object.entries(value)) {
      const inside = schemaAt(schema, field);
      const isProperty = inside !== schema.additionalProperties;
      const at = isProperty ? [path, field].filter(Boolean).join('.') : `${path}[${field}]`;
      if (inside !== undefined) add(inside, each, fieldBefore(previous, field), at);
    }
  }
  return places;
}

/** Returns the repeated items of a list of the type `set`, or the repeated keys of a `map`. */
function listTypeProblems({ schema, value, path }: Place): readonly FieldProblem[] {
  const type = schema['x-kubernetes-list-type'];
  if (!Array.isArray(value) || (type !== 'set' && type !== 'map')) return [];
  const items = value as readonly unknown[];
  const wrong = type === 'map' ? items.findIndex((item) => item !== null && !isJsonObject(item)) : -1;
  if (wrong >= 0) {
    const message = `Invalid value: ${shownValue(items[wrong])}: must be an object for an array of list-type map`;
    return [{ reason: 'FieldValueInvalid', field: `${path}[${wrong}]`, message }];
  }
  const names = (schema['x-kubernetes-list-map-keys'] ?? []) as readonly string[];
  const seen = new Map<string, number>();
  return items.flatMap((item, index): readonly FieldProblem[] => {
    const key = type === 'set' ? item : keysOf(item, names);
    const text = goJson(key);
    const times = (seen.get(text) ?? 0) + 1;
    seen.set(text, times);
    // Further repetitions of the same item are not reported.
    if (times !== 2) return [];
    return [
      { reason: 'FieldValueDuplicate', field: `${path}[${index}]`, message: `Duplicate value: ${shownValue(key)}` },
    ];
  });
}

function keysOf(item: unknown, names: readonly string[]): JsonObject {
  const object = isJsonObject(item) ? item : {};
  return Object.fromEntries(names.filter((name) => Object.hasOwn(object, name)).map((name) => [name, object[name]]));
}

/** Returns the problems of an object inside of an object (`x-kubernetes-embedded-resource`). */
function embeddedProblems({ schema, value, path }: Place): readonly FieldProblem[] {
  if (schema['x-kubernetes-embedded-resource'] !== true || !isJsonObject(value)) return [];
  const typeProblems = ['apiVersion', 'kind'].flatMap((name): readonly FieldProblem[] => {
    const field = `${path}.${name}`;
    if (!Object.hasOwn(value, name)) return [{ reason: 'FieldValueRequired', field, message: 'Required value' }];
    const problem = typeMetaProblem(name, value[name]);
    if (problem === undefined) return [];
    return [{ reason: 'FieldValueInvalid', field, message: `Invalid value: ${shownValue(value[name])}: ${problem}` }];
  });
  const labels = isJsonObject(value['metadata']) ? labelProblems(value['metadata']['labels']) : [];
  return [...typeProblems, ...labels.map((problem) => ({ ...problem, field: `${path}.${problem.field}` }))];
}

const kindRule =
  "may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

function typeMetaProblem(name: string, value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a string';
  if (value === '') return 'must not be empty';
  if (name === 'kind') return /^[a-z]([-a-z0-9]*[a-z0-9])?$/i.test(value) ? undefined : kindRule;
  return value.split('/').length > 2 ? `unexpected GroupVersion string: ${value}` : undefined;
}

function rulesOf(schema: Schema): readonly JsonObject[] {
  return objectsAt(schema as unknown as JsonObject, 'x-kubernetes-validations');
}

/** Evaluates the rules of a value. A rule with `oldSelf` needs a value before the update. */
function ruleProblems(place: Place, functions: RuleFunctions): readonly FieldProblem[] {
  const { schema, value, path, previous, isUnchanged: unchanged } = place;
  if (value === null) return [];
  return rulesOf(schema).flatMap((rule): readonly FieldProblem[] => {
    const text = stringAt(rule, 'rule') ?? '';
    const evaluate = Object.hasOwn(functions, text) ? functions[text] : undefined;
    const usesOldSelf = /\boldSelf\b/.test(text);
    if (evaluate === undefined || (usesOldSelf && previous === undefined && rule['optionalOldSelf'] !== true))
      return [];
    if (unchanged && !usesOldSelf) return [];
    if (evaluate(value as never, previous?.value as never)) return [];
    const field = [path, stringAt(rule, 'fieldPath')?.replace(/^\./, '') ?? ''].filter(Boolean).join('.') || '<nil>';
    const message = stringAt(rule, 'message')?.trim() || `failed rule: ${text.trim()}`;
    const reason = (stringAt(rule, 'reason') ?? 'FieldValueInvalid') as FieldProblem['reason'];
    // Objects and lists are not shown.
    const shown = typeof value === 'object' ? '' : `: ${shownValue(value)}`;
    return [{ reason, field, message: ruleMessage(reason, shown, message) }];
  });
}

function ruleMessage(reason: FieldProblem['reason'], shown: string, message: string): string {
  if (reason === 'FieldValueForbidden') return `Forbidden: ${message}`;
  if (reason === 'FieldValueRequired') return `Required value: ${message}`;
  return reason === 'FieldValueDuplicate' ? `Duplicate value${shown}` : `Invalid value${shown}: ${message}`;
}
