import { type RxInformersError } from '../../../kubernetes/errors.js';
import { badRequest, internalError, apiError } from '../exchange/api-error.js';
import { isJsonObject, objectField, stringAt, type JsonObject } from '../exchange/json.js';
import { kindMismatch, type Schema, type ServedResource } from '../resources/catalog.js';
import { checkFields, type ItemName, type Mismatch, fieldProblems } from './check-fields.js';
import { kindText, resolve, schemaOf, typeOfRef } from './schema.js';

/** For unknown or duplicate fields: drop, drop with a warning, or refuse the write. */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** A validated object that can be stored, and the warnings for its writer. */
export interface Validated {
  readonly object: JsonObject;
  readonly warnings: readonly string[];
}

/** The largest number of problems that the real server lists. */
const maxProblems = 100;

/** Throws 400 for values of a wrong type; with `Strict` for unknown and duplicate fields, too. */
export function validateBody(
  resource: ServedResource,
  object: JsonObject,
  body: { readonly text: string; readonly value: JsonObject; readonly duplicates?: readonly string[] },
  validation: FieldValidation,
): Validated {
  const refuse = (problem: string): RxInformersError<'RXI_API'> => badRequest(`${kindMismatch(resource)}: ${problem}`);
  const { object: known, unknown } = checked(resource, object, refuse);
  if (validation === 'Ignore') return { object: known, warnings: [] };
  const apart = resource.custom ? unknown.map(unknownField).sort() : unknown.map(unknownField);
  if (body.duplicates !== undefined) {
    if (validation === 'Warn') return judge(known, [...body.duplicates, ...apart], validation, refuse);
    const inYaml = body.duplicates.length === 0 ? [] : [yamlProblem(body.duplicates)];
    return judge(known, [...inYaml, ...apart], validation, refuse);
  }
  // A fast path: most bodies equal the output of `JSON.stringify`, which has no duplicate fields.
  if (unknown.length === 0 && JSON.stringify(body.value) === body.text) return { object: known, warnings: [] };
  const inText = problemsInText(body.text, resource.custom ? [] : unknown);
  return judge(known, resource.custom ? [...inText, ...apart] : inText, validation, refuse);
}

/** Validates the object that results from a patch. Throws a 422 if it is refused. */
export function validatePatched(
  resource: ServedResource,
  object: JsonObject,
  patch: { readonly problems: readonly string[]; readonly shown: () => string },
  validation: FieldValidation,
): Validated {
  const refuse = (problem: string): RxInformersError<'RXI_API'> => invalidPatch(patch.shown(), problem);
  const { object: known, unknown } = checked(resource, object, refuse);
  if (validation === 'Ignore') return { object: known, warnings: [] };
  return judge(known, [...patch.problems, ...unknown.map(unknownField)], validation, refuse);
}

function judge(
  object: JsonObject,
  problems: readonly string[],
  validation: FieldValidation,
  refuse: (problem: string) => RxInformersError<'RXI_API'>,
): Validated {
  const warnings = problems.slice(0, maxProblems);
  if (validation === 'Strict' && warnings.length > 0) throw refuse(`strict decoding error: ${warnings.join(', ')}`);
  return { object, warnings };
}

/** Reports all duplicate keys of a YAML text in one message, as the real server does. */
export function yamlProblem(lines: readonly string[]): string {
  return `yaml: unmarshal errors:${lines.map((line) => `\n  ${line}`).join('')}`;
}

/**
 * Returns the duplicate fields of a text and the given unknown fields as problems, in the order of
 * the text. The real server reports both in this order. For custom resources, it reports all
 * unknown fields after the duplicate fields, so the caller passes no unknown fields here.
 */
function problemsInText(text: string, unknown: readonly string[]): readonly string[] {
  return fieldProblems(text, new Set(unknown)).map(({ problem, path }) => `${problem} field ${JSON.stringify(path)}`);
}

function unknownField(path: string): string {
  return `unknown field ${JSON.stringify(path)}`;
}

function checked(
  resource: ServedResource,
  object: JsonObject,
  refuse: (problem: string) => RxInformersError<'RXI_API'>,
): { readonly object: JsonObject; readonly unknown: readonly string[] } {
  const schema = schemaOf(resource);
  if (schema === undefined) return { object, unknown: [] };
  const result = checkFields(schema, object, resource.kind);
  const [mismatch] = result.mismatches;
  if (mismatch !== undefined && !resource.custom) throw refuse(goProblem(mismatch));
  return result;
}

function goProblem({ value, goField, schema }: Mismatch): string {
  const found = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  const number = typeof value === 'number' && resolve(schema).type === 'integer' ? ` ${value}` : '';
  return `json: cannot unmarshal ${found}${number} into Go struct field ${goField} of type ${goType(schema)}`;
}

function goType(schema: Schema): string {
  if (schema.$ref !== undefined) return typeOfRef(schema.$ref).split('.').slice(-2).join('.');
  const { type, format, items, additionalProperties } = schema;
  if (type === 'array') return `[]${goType(items ?? {})}`;
  if (type === 'object')
    return `map[string]${goType(typeof additionalProperties === 'object' ? additionalProperties : {})}`;
  if (type === 'integer') return format ?? 'int64';
  if (type === 'number') return 'float64';
  if (type === 'boolean') return 'bool';
  return format === 'byte' ? '[]uint8' : 'string';
}

function invalidPatch(shown: string, problem: string): RxInformersError<'RXI_API'> {
  const message = `Invalid value: ${JSON.stringify(shown)}: ${problem}`;
  return apiError(422, 'Invalid', ` "" is invalid: patch: ${message}`, {
    details: { causes: [{ reason: 'FieldValueInvalid', message, field: 'patch' }] },
  });
}

/** Refuses an apply of unknown fields for any `fieldValidation`, as the real server does. */
export function assertApplicable(resource: ServedResource, configuration: JsonObject): void {
  const schema = schemaOf(resource);
  if (schema === undefined) return;
  const { unknown, mismatches } = checkFields(schema, configuration, resource.kind, itemByKey);
  const problems = [
    ...unknown.map((path) => `.${path}: field not declared in schema`),
    ...mismatches.filter(isTypedProblem).map((mismatch) => `.${mismatch.path}: expected ${typedProblem(mismatch)}`),
  ];
  if (problems.length === 0) return;
  const metadata = objectField(configuration, 'metadata');
  const name = `${stringAt(metadata, 'namespace') ?? ''}/${stringAt(metadata, 'name') ?? ''}`;
  const [only = '', ...more] = problems.sort();
  const text = more.length === 0 ? only : ['errors:', ...problems.map((problem) => `  ${problem}`)].join('\n');
  throw internalError(`failed to create typed patch object (${name}; ${kindText(resource)}): ${text}`);
}

/** Returns the name of a list item by its keys. For a port, the default protocol is TCP. */
const itemByKey: ItemName = (list, item, index) => {
  const keys = list['x-kubernetes-list-map-keys'] as readonly string[] | undefined;
  if (keys === undefined || !isJsonObject(item)) return `[${index}]`;
  const pairs = keys.map((key) => [key, item[key] ?? (key === 'protocol' ? 'TCP' : undefined)] as const);
  return `[${pairs.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(',')}]`;
};

/** A number with a fraction is refused by the schema, if at all. */
function isTypedProblem({ schema, value }: Mismatch): boolean {
  return typeof value !== 'number' || resolve(schema).type !== 'integer';
}

function typedProblem({ schema, value }: Mismatch): string {
  const { type } = resolve(schema);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (type === 'object') return `map, got &{${text}}`;
  if (type === 'array') return `list, got &{${text}}`;
  if (type === 'boolean') return `boolean, got &{${text}}`;
  if (type === 'string') return `string, got &value.valueUnstructured{Value:${text}}`;
  return `numeric (int or float), got ${typeof value}`;
}

/**
 * Returns the `Warning` header of a reply; no header if there are no warnings. If the header would
 * be longer than 4096 characters, the last warnings are left out.
 */
export function warningHeaders(warnings: readonly string[]): Readonly<Record<string, string>> {
  const values: string[] = [];
  let length = 0;
  for (const warning of warnings) {
    const value = `299 - ${JSON.stringify(warning)}`;
    length += value.length;
    // Many clients do not accept longer headers.
    if (length > 4096) break;
    values.push(headerText(value));
  }
  return values.length === 0 ? {} : { warning: values.join(', ') };
}

/** Encodes each byte of UTF-8 as a character. Control characters are replaced. */
function headerText(text: string): string {
  const bytes = new TextEncoder().encode(text.replace(/\p{Cc}/gu, '?'));
  return String.fromCharCode(...bytes);
}
