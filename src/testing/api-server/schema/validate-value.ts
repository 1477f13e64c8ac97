import type { FieldProblem } from '../exchange/api-error.js';
import { equalJson, isJsonObject, ownField, type JsonObject } from '../exchange/json.js';
import type { Schema } from '../resources/catalog.js';
import { formatCheck } from './formats.js';
import { goPattern } from './go-pattern.js';
import { goJson, goNumber, isInt64, quoted, shownValue } from './go-text.js';

/** A problem of a value. `path` is `undefined` if the real server reports no field. */
interface Finding extends Omit<FieldProblem, 'field'> {
  readonly path: string | undefined;
}

/** The value before an update, at the same place. */
export interface Previous {
  readonly value: unknown;
}

/**
 * The findings by their text, because each is reported once, and the number of checks that were
 * made without a finding. Of several alternatives, those of the most matching one are reported.
 */
class Result {
  readonly findings = new Map<string, Finding>();
  matches = 0;

  add(path: string | undefined, reason: FieldProblem['reason'], text: string, message: string): void {
    if (!this.findings.has(text)) this.findings.set(text, { path, reason, message });
  }

  /** Adds a value that breaks a rule, with the text that also identifies the finding. */
  invalid(path: string, value: unknown, text: string): void {
    this.add(path, 'FieldValueInvalid', text, `Invalid value: ${shownValue(value)}: ${text}`);
  }

  /** Adds a finding without a field. */
  general(text: string): void {
    this.add(undefined, 'FieldValueInvalid', text, `Invalid value: "": ${text}`);
  }

  merge({ findings, matches }: Result): void {
    for (const [text, finding] of findings) if (!this.findings.has(text)) this.findings.set(text, finding);
    this.matches += matches;
  }

  /** Drops the findings after the first `count`. */
  dropAfter(count: number): void {
    for (const text of [...this.findings.keys()].slice(count)) this.findings.delete(text);
  }

  get isValid(): boolean {
    return this.findings.size === 0;
  }
}

type Check = (value: unknown, path: string, previous: Previous | undefined, result: Result) => void;

/** Validates a value. `field`: the path of the value, `''` for the object. */
export type ValueValidator = (value: unknown, previous: Previous | undefined, field: string) => readonly FieldProblem[];

/**
 * Compiles the value validations of a structural schema. Paths, words and the choice of problems
 * are those of `kube-openapi`. An invalid value that an update leaves unchanged is accepted.
 *
 * @param untranslated receives each pattern that cannot be translated from RE2 and is not checked
 */
export function compileValidator(schema: Schema, untranslated: (pattern: string) => void): ValueValidator {
  const check = compile(schema, untranslated);
  const resultOf = (value: unknown, previous: Previous | undefined): Result => {
    const result = new Result();
    check(value, '', previous, result);
    return result;
  };
  return (value, previous, field) => {
    // Most values are valid, and then the value before the update does not matter.
    const alone = resultOf(value, undefined);
    if (alone.isValid) return [];
    const { findings } = previous === undefined ? alone : resultOf(value, previous);
    return [...findings.values()].map(({ path, reason, message }) => {
      const parts = [field, path?.replace(/^\./, '') ?? ''].filter(Boolean);
      return { reason, field: parts.join('.') || '<nil>', message };
    });
  };
}

function compile(schema: Schema, untranslated: (pattern: string) => void): Check {
  const type = typeCheck(schema);
  const enumeration = enumCheck(schema);
  const branches = branchesCheck(schema, untranslated);
  const text = textCheck(schema, untranslated);
  const number = numberCheck(schema);
  const list = listCheck(schema, untranslated);
  const object = objectCheck(schema, untranslated);
  const checkAll: Check = (value, path, previous, result) => {
    type?.(value, path, previous, result);
    if (value === null) {
      if (type === undefined) result.matches += 1;
      enumeration?.(value, path, previous, result);
      return;
    }
    branches(value, path, previous, result);
    if (typeof value === 'string') text(value, path, result);
    else if (typeof value === 'number') number(value, path, result);
    else if (Array.isArray(value)) list(value, path, previous, result);
    else if (isJsonObject(value)) object(value, path, previous, result);
    enumeration?.(value, path, previous, result);
    // One for each kind of check that is made, and one for the value.
    result.matches += typeof value === 'boolean' ? 3 : 4;
    if (type !== undefined) result.matches += 1;
  };
  return (value, path, previous, result) => {
    const before = result.findings.size;
    checkAll(value, path, previous, result);
    if (result.findings.size > before && isUnchanged(schema, value, previous)) result.dropAfter(before);
  };
}

function typeCheck({ type, format, nullable, ...schema }: Schema): Check | undefined {
  const types =
    schema['x-kubernetes-int-or-string'] === true ? ['integer', 'string'] : type === undefined ? [] : [type];
  const checked = checkedFormat(types, format);
  if (types.length === 0 && checked === '') return undefined;
  const isNumeric = types.includes('number') || types.includes('integer');
  const fail = (path: string, expected: string, found: string, result: Result): void =>
    result.add(path, 'FieldValueTypeInvalid', ...typeText(path, expected, found));
  return (value, path, _previous, result) => {
    if (value === null) {
      if (types.length > 0 && nullable !== true) fail(path, types.join(','), 'null', result);
      else result.matches += 1;
      return;
    }
    const [kind, formatOfKind] = kindOf(value);
    const isText = kind === 'string' || kind === 'array';
    const fits = types.includes(kind) || (kind === 'integer' && types.includes('number'));
    if (!isText && checked !== '' && !fits && formatOfKind !== checked) fail(path, checked, formatOfKind, result);
    else if ((isText && checked !== '' && !isNumeric) || fits) result.matches += 1;
    else fail(path, types.join(','), kind, result);
  };
}

/** Returns the format that the real server checks for these types, or `''`. */
function checkedFormat(types: readonly string[], format = ''): string {
  const [only = ''] = types.length === 1 ? types : [];
  if (only === 'integer') return format === 'int32' || format === 'int64' ? format : '';
  if (only === 'number') return format === 'float' || format === 'double' ? format : '';
  return (only === '' || only === 'string') && formatCheck(format) !== undefined ? format : '';
}

/** Returns the text of a finding about a type or a format, and its message. */
function typeText(path: string, expected: string, found: string): readonly [string, string] {
  const text = `${path} in body must be of type ${expected}: ${quoted(found)}`;
  return [text, `Invalid value: ${quoted(found)}: ${text}`];
}

/** Returns the type of a value, and the format that Go's type of the value has. */
function kindOf(value: unknown): readonly [type: string, format: string] {
  if (typeof value === 'number') return isInt64(value) ? ['integer', 'int64'] : ['number', 'float64'];
  return [Array.isArray(value) ? 'array' : typeof value, ''];
}

function enumCheck({ enum: values }: Schema): Check | undefined {
  if (values === undefined || values.length === 0) return undefined;
  const supported = values.map((each) => quoted(typeof each === 'string' ? each : goJson(each))).join(', ');
  return (value, path, _previous, result) => {
    if (values.some((each) => equalJson(each, value))) return;
    const message = `Unsupported value: ${shownValue(value)}: supported values: ${supported}`;
    result.add(path, 'FieldValueNotSupported', `${path} in body should be one of ${supported}`, message);
  };
}

function branchesCheck({ anyOf = [], oneOf = [], allOf = [], not }: Schema, untranslated: (pattern: string) => void) {
  const [any, one, all] = [anyOf, oneOf, allOf].map((schemas) => schemas.map((each) => compile(each, untranslated)));
  const none = not && compile(not, untranslated);
  const run = (check: Check, value: unknown, path: string): Result => {
    const result = new Result();
    check(value, path, undefined, result);
    return result;
  };
  const closest = (results: readonly Result[]): Result | undefined =>
    results.reduce<Result | undefined>((best, each) => (best && best.matches >= each.matches ? best : each), undefined);
  return (value: unknown, path: string, _previous: Previous | undefined, result: Result): void => {
    result.matches += 1;
    if (any !== undefined && any.length > 0) {
      const results: Result[] = [];
      for (const check of any) {
        results.push(run(check, value, path));
        if (results.at(-1)?.isValid === true) break;
      }
      const valid = results.find(({ isValid }) => isValid);
      if (valid === undefined) result.general(`${quoted(path)} must validate at least one schema (anyOf)`);
      const chosen = valid ?? closest(results);
      if (chosen !== undefined) result.merge(chosen);
    }
    if (one !== undefined && one.length > 0) {
      const results = one.map((check) => run(check, value, path));
      const valid = results.filter(({ isValid }) => isValid);
      const found = valid.length === 0 ? 'Found none valid' : `Found ${valid.length} valid alternatives`;
      if (valid.length !== 1) result.general(`${quoted(path)} must validate one and only one schema (oneOf). ${found}`);
      const chosen = valid.length > 1 ? undefined : (valid[0] ?? closest(results));
      if (chosen !== undefined) result.merge(chosen);
    }
    if (all !== undefined && all.length > 0) {
      const results = all.map((check) => run(check, value, path));
      for (const each of results) result.merge(each);
      const valid = results.filter(({ isValid }) => isValid);
      const addition = valid.length === 0 ? '. None validated' : '';
      if (valid.length < results.length)
        result.general(`${quoted(path)} must validate all the schemas (allOf)${addition}`);
    }
    if (none !== undefined && run(none, value, path).isValid)
      result.general(`${quoted(path)} must not validate the schema (not)`);
  };
}

function textCheck(
  { minLength = 0, maxLength = Infinity, pattern, type, format, ...schema }: Schema,
  untranslated: (pattern: string) => void,
): (value: string, path: string, result: Result) => void {
  const expression = pattern === undefined || pattern === '' ? undefined : goPattern(pattern);
  if (pattern !== undefined && pattern !== '' && expression === undefined) untranslated(pattern);
  const types =
    schema['x-kubernetes-int-or-string'] === true ? ['integer', 'string'] : type === undefined ? [] : [type];
  const checked = checkedFormat(types, format);
  const hasFormat = formatCheck(checked);
  return (value, path, result) => {
    // Code points, not UTF-16. A text has at most as many of them as units.
    const length = value.length <= maxLength && value.length >= 2 * minLength ? value.length : Array.from(value).length;
    if (length > maxLength) {
      const unit = maxLength === 1 ? 'byte' : 'bytes';
      const text = `${path} in body should be at most ${maxLength} chars long`;
      result.add(path, 'FieldValueTooLong', text, `Too long: may not be more than ${maxLength} ${unit}`);
    } else if (length < minLength) {
      result.invalid(path, value, `${path} in body should be at least ${minLength} chars long`);
    } else if (expression?.(value) === false) {
      result.invalid(path, value, `${path} in body should match '${pattern ?? ''}'`);
    }
    if (hasFormat === undefined) return;
    result.matches += 1;
    if (!hasFormat(value)) result.add(path, 'FieldValueTypeInvalid', ...typeText(path, checked, value));
  };
}

function numberCheck({
  minimum,
  maximum,
  exclusiveMinimum = false,
  exclusiveMaximum = false,
  multipleOf,
  type,
  format,
}: Schema): (value: number, path: string, result: Result) => void {
  const checked = checkedFormat(type === undefined ? [] : [type], format);
  const suffix = checked === '' ? '(default format)' : `with format ${checked}`;
  const isInRange = (number: number): boolean => {
    if (type === 'integer') return isInt64(number) && (checked !== 'int32' || number === (number | 0));
    return checked !== 'float' || Math.abs(number) <= maxFloat32;
  };
  return (value, path, result) => {
    result.matches += 1;
    const inRange = (name: string, number: number): boolean => {
      const is = isInRange(number);
      if (!is) result.general(`${name} value must be of type ${type ?? ''} ${suffix} in ${path}`);
      return is;
    };
    inRange('Checked', value);
    // Go converts a limit to the type of the value, which cuts off its fraction.
    const native = (name: string, limit: number): number =>
      inRange(name, limit) && isInt64(value) ? Math.trunc(limit) : limit;
    if (multipleOf !== undefined) {
      const factor = native('MultipleOf', multipleOf);
      if (factor <= 0)
        result.invalid(
          path,
          factor,
          `factor MultipleOf declared for ${path} must be positive: ${goNumber(factor, isInt64(value))}`,
        );
      else if (!isMultiple(value, factor))
        result.invalid(path, value, `${path} in body should be a multiple of ${goNumber(factor, isInt64(value))}`);
    }
    const check = (name: string, limit: number, words: string, exceeds: (limit: number) => boolean): void => {
      const cut = native(name, limit);
      if (exceeds(cut))
        result.invalid(path, value, `${path} in body should be ${words} ${goNumber(cut, isInt64(value))}`);
    };
    const orEqual = (isExclusive: boolean): string => (isExclusive ? '' : ' or equal to');
    if (minimum !== undefined)
      check('Minimum boundary', minimum, `greater than${orEqual(exclusiveMinimum)}`, (limit) =>
        exclusiveMinimum ? value <= limit : value < limit,
      );
    if (maximum !== undefined)
      check('Maximum boundary', maximum, `less than${orEqual(exclusiveMaximum)}`, (limit) =>
        exclusiveMaximum ? value >= limit : value > limit,
      );
  };
}

const maxFloat32 = 3.4028234663852886e38;

/** Go allows a relative error of 1e-9 for fractions. */
function isMultiple(value: number, factor: number): boolean {
  const quotient = factor < 1 ? (1 / factor) * value : value / factor;
  if (!(Math.abs(quotient) < 2 ** 53)) return false;
  const whole = Math.trunc(quotient);
  if (quotient === whole || isInt64(value)) return quotient === whole;
  return Math.abs(quotient - whole) / (Math.abs(quotient) + Math.abs(whole)) < 1e-9;
}

function listCheck({ items, ...schema }: Schema, untranslated: (pattern: string) => void) {
  const { minItems = 0, maxItems = Infinity, uniqueItems = false } = schema;
  const check = items && compile(items, untranslated);
  return (value: readonly unknown[], path: string, previous: Previous | undefined, result: Result): void => {
    if (check !== undefined) {
      const before = previous && itemsByKey(schema, previous.value);
      value.forEach((item, index) => check(item, `${path}[${index}]`, before?.(item), result));
    }
    if (value.length < minItems)
      result.invalid(path, value.length, `${path} in body should have at least ${minItems} items`);
    tooMany(value.length, maxItems, path, 'items', result);
    if (uniqueItems && value.some((item, index) => value.slice(0, index).some((other) => equalJson(item, other))))
      result.invalid(path, '', `${path} in body shouldn't contain duplicates`);
    result.matches += 1;
  };
}

/**
 * Returns a function that finds the earlier item with the same keys. Only the items of a list of
 * the type `map` are the same items after an update.
 */
export function itemsByKey(schema: Schema, list: unknown): ((item: unknown) => Previous | undefined) | undefined {
  const keys = schema['x-kubernetes-list-map-keys'];
  if (schema['x-kubernetes-list-type'] !== 'map' || !Array.isArray(keys) || !Array.isArray(list)) return undefined;
  const names = keys.map(String);
  const keyOf = (item: unknown): string | undefined =>
    isJsonObject(item) && names.every((name) => Object.hasOwn(item, name))
      ? JSON.stringify(names.map((name) => item[name]))
      : undefined;
  const known = new Map(
    (list as readonly unknown[]).map((item) => [keyOf(item), item]).reverse() as [string, unknown][],
  );
  return (item) => {
    const key = keyOf(item);
    return key === undefined || !known.has(key) ? undefined : { value: known.get(key) };
  };
}

/**
 * Returns true if an update leaves the value unchanged, as far as the schema can tell: fields
 * without a schema, and items of a map without their keys, count as changed.
 */
export function isUnchanged(schema: Schema | undefined, value: unknown, previous: Previous | undefined): boolean {
  if (schema === undefined || previous === undefined) return false;
  const before = previous.value;
  if (isJsonObject(value) && isJsonObject(before)) {
    const fields = Object.keys(value);
    if (fields.length !== Object.keys(before).length) return false;
    return fields.every((field) => isUnchanged(schemaAt(schema, field), value[field], fieldBefore(previous, field)));
  }
  if (!Array.isArray(value) || !Array.isArray(before)) return equalJson(value, before);
  const items = itemsByKey(schema, before);
  if (items === undefined) return equalJson(value, before);
  return value.length === before.length && value.every((item) => isUnchanged(schema.items, item, items(item)));
}

/** Returns the schema of a field; `undefined` if there is none. */
export function schemaAt({ properties, additionalProperties }: Schema, field: string): Schema | undefined {
  if (properties !== undefined && Object.hasOwn(properties, field)) return properties[field];
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

function tooMany(size: number, limit: number, path: string, unit: string, result: Result): void {
  if (size <= limit) return;
  const message = `Too many: ${size}: must have at most ${limit} ${limit === 1 ? 'item' : 'items'}`;
  result.add(path, 'FieldValueTooMany', `${path} in body should have at most ${limit} ${unit}`, message);
}

function objectCheck(schema: Schema, untranslated: (pattern: string) => void) {
  const { minProperties = 0, maxProperties = Infinity, required = [], additionalProperties } = schema;
  const checks = new Map(
    Object.entries(schema.properties ?? {}).map(([field, each]) => [field, compile(each, untranslated)]),
  );
  const others = typeof additionalProperties === 'object' ? compile(additionalProperties, untranslated) : undefined;
  const isClosed = additionalProperties === false;
  return (value: JsonObject, path: string, previous: Previous | undefined, result: Result): void => {
    const fields = Object.keys(value);
    if (fields.length < minProperties)
      result.invalid(path, fields.length, `${path} in body should have at least ${minProperties} properties`);
    tooMany(fields.length, maxProperties, path, 'properties', result);
    for (const field of fields) {
      const check = checks.get(field) ?? others;
      if (check !== undefined) {
        const isOwn = check !== others && path === '';
        check(value[field], isOwn ? field : `${path}.${field}`, fieldBefore(previous, field), result);
      } else if (isClosed) {
        result.invalid(path, field, `${path}.${field} in body is a forbidden property`);
      }
    }
    for (const field of required) {
      if (Object.hasOwn(value, field)) continue;
      const name = `${path}.${field}`;
      result.add(name, 'FieldValueRequired', `${name} in body is required`, 'Required value');
    }
  };
}

/** Returns the earlier value of a field; `undefined` if there was none. */
export function fieldBefore(previous: Previous | undefined, field: string): Previous | undefined {
  if (!isJsonObject(previous?.value) || !Object.hasOwn(previous.value, field)) return undefined;
  return { value: ownField(previous.value, field) };
}
