import { isDnsSubdomain, maxNameLength } from '../../../kubernetes/object.js';
import { isLabelName } from '../../../kubernetes/selector-requirement.js';
import { fieldProblem, invalid, type FieldProblem } from '../exchange/api-error.js';
import { isJsonObject, type JsonObject } from '../exchange/json.js';
import { kindSubject, type ServedResource } from '../resources/catalog.js';

const qualifiedNameRule =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const optionalPrefixRule = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
const subdomainRule =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const labelRule =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/** Throws 422 with all problems in the metadata of an object, and `others`. */
export function validateMetadata(
  resource: ServedResource,
  metadata: JsonObject,
  name: string,
  others: readonly FieldProblem[] = [],
): void {
  const own = [...nameProblems(resource, name), ...labelProblems(metadata['labels']), ...typeProblems(metadata)];
  const problems = [...own, ...others];
  if (problems.length > 0) throw invalid(kindSubject(resource, name), problems);
}

function nameProblems(resource: ServedResource, name: string): readonly FieldProblem[] {
  const field = 'metadata.name';
  if (name === '') {
    return [{ reason: 'FieldValueRequired', field, message: 'Required value: name or generateName is required' }];
  }
  const problem = resource.names === 'path-segment' ? pathSegmentProblem(name) : subdomainProblem(name);
  return problem === undefined ? [] : [fieldProblem('Invalid', field, `${JSON.stringify(name)}: ${problem}`)];
}

function subdomainProblem(name: string): string | undefined {
  if (name.length > maxNameLength) return `must be no more than ${maxNameLength} characters`;
  return isDnsSubdomain(name) ? undefined : subdomainRule;
}

function pathSegmentProblem(name: string): string | undefined {
  if (name === '.' || name === '..') return `may not be '${name}'`;
  const found = ['/', '%'].find((character) => name.includes(character));
  return found === undefined ? undefined : `may not contain '${found}'`;
}

export function labelProblems(labels: unknown): readonly FieldProblem[] {
  if (!isJsonObject(labels)) return [];
  return Object.entries(labels).flatMap(([key, value]) => [
    ...labelProblem(key, labelKeyProblem(key)),
    ...labelProblem(value, labelValueProblem(value)),
  ]);
}

function labelProblem(value: unknown, problem: string | undefined): readonly FieldProblem[] {
  return problem === undefined
    ? []
    : [fieldProblem('Invalid', 'metadata.labels', `${JSON.stringify(value)}: ${problem}`)];
}

function labelKeyProblem(key: string): string | undefined {
  const parts = key.split('/');
  const name = parts.at(-1) ?? '';
  const prefix = parts.length === 2 ? parts[0] : undefined;
  if (parts.length > 2) return `a valid label key ${qualifiedNameRule} ${optionalPrefixRule}`;
  if (prefix === '') return 'prefix part must be non-empty';
  const prefixProblem = prefix === undefined ? undefined : subdomainProblem(prefix);
  if (prefixProblem !== undefined) return `prefix part ${prefixProblem}`;
  if (name === '') return 'name part must be non-empty';
  if (name.length > 63) return 'name part must be no more than 63 bytes';
  return isLabelName(name) ? undefined : `name part ${qualifiedNameRule}`;
}

function labelValueProblem(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a string';
  if (value.length > 63) return 'must be no more than 63 characters';
  return value === '' || isLabelName(value) ? undefined : labelRule;
}

/** Other code relies on these types. The real server fails to decode such fields. */
function typeProblems(metadata: JsonObject): readonly FieldProblem[] {
  return (['finalizers', 'ownerReferences'] as const)
    .filter((field) => metadata[field] !== undefined && metadata[field] !== null && !Array.isArray(metadata[field]))
    .map((field) => fieldProblem('Invalid', `metadata.${field}`, 'must be a list'));
}
