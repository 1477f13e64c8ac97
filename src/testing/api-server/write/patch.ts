import { type RxInformersError } from '../../../kubernetes/errors.js';
import { setField } from '../../../kubernetes/share-structure.js';
import { badRequest, apiError } from '../exchange/api-error.js';
import type { ApiRequest } from '../exchange/exchange.js';
import { equalJson, isJsonObject, ownField, type JsonObject } from '../exchange/json.js';
import { storageKey, type ServedResource } from '../resources/catalog.js';
import { fieldProblems } from '../schema/check-fields.js';
import { validatePatched } from '../schema/field-validation.js';
import { goMap } from '../schema/go-text.js';
import type { ServerContext } from '../storage/server-context.js';
import { jsonProblem, mediaTypeOf } from './decode-body.js';
import { strategicMergePatch } from './strategic-merge-patch.js';
import { commitUpdate, existing, type ObjectAddress, type Written } from './update.js';
import type { WriteParameters } from './write-options.js';

/** Applies the patch in the body, according to the content type of the request. */
export function patch(
  context: ServerContext,
  address: ObjectAddress,
  request: ApiRequest,
  options: WriteParameters,
): Written {
  const { resource, namespace, name, subresource } = address;
  const mediaType = mediaTypeOf(request);
  const apply = patchFunction(mediaType, resource);
  const current = existing(context, address);
  const patch = decodePatch(request.body);
  const desired = apply(current, patch);
  if (!isJsonObject(desired)) throw badRequest('the result of the patch is not a JSON object');
  const problems = options.fieldValidation === 'Ignore' ? [] : problemsOfPatch(mediaType, request.body, patch);
  const shown = (): string =>
    mediaType === strategicType && isJsonObject(patch) ? goMap(patch) : JSON.stringify(desired);
  const { object, warnings } = validatePatched(resource, desired, { problems, shown }, options.fieldValidation);
  const stored = commitUpdate(context, resource, storageKey(namespace, name), current, object, {
    caller: options.caller,
    manager: options.fieldManager,
    subresource,
    dryRun: options.dryRun,
    method: 'PATCH',
  });
  return { object: stored, warnings };
}

/** Duplicate fields, and fields without a meaning in a JSON Patch. */
function problemsOfPatch(mediaType: string, text: string, patch: unknown): readonly string[] {
  const isJsonPatch = mediaType === jsonPatchType && Array.isArray(patch);
  const unknown = isJsonPatch
    ? (patch as readonly unknown[]).flatMap((operation, index) =>
        isJsonObject(operation)
          ? Object.keys(operation)
              .filter((field) => !operationFields.has(field))
              .map((field) => `[${index}].${field}`)
          : [],
      )
    : [];
  return fieldProblems(text, new Set(unknown)).map(
    ({ problem, path }) => `${isJsonPatch ? 'json patch ' : ''}${problem} field ${JSON.stringify(path)}`,
  );
}

const jsonPatchType = 'application/json-patch+json';
const strategicType = 'application/strategic-merge-patch+json';
const operationFields = new Set(['op', 'path', 'from', 'value']);

/** Returns how to apply a patch. Throws a 415 if the resource does not accept the media type. */
export function patchFunction(
  mediaType: string,
  resource: ServedResource,
): (current: JsonObject, patch: unknown) => unknown {
  switch (mediaType) {
    case jsonPatchType:
      return jsonPatch;
    case 'application/merge-patch+json':
      return (current, value) => mergePatch(current, assertObject(value));
    case strategicType:
      if (!resource.custom) return (current, value) => strategicMergePatch(current, assertObject(value));
      throw unsupported(resource);
    default:
      throw unsupported(resource);
  }
}

function unsupported({ custom }: ServedResource): RxInformersError<'RXI_API'> {
  return custom
    ? apiError(
        415,
        'UnsupportedMediaType',
        'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
      )
    : apiError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', { details: {} });
}

function assertObject(value: unknown): JsonObject {
  if (isJsonObject(value)) return value;
  const found = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
  throw badRequest(
    `error decoding patch: json: cannot unmarshal ${found} into Go value of type map[string]interface {}`,
  );
}

export function decodePatch(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw badRequest(`error decoding patch: ${jsonProblem(error, text)}`);
  }
}

/** Applies RFC 7386: merges objects, null removes a field, any other value replaces it. */
function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return patch;
  const merged: Record<string, unknown> = isJsonObject(target) ? { ...target } : {};
  for (const [field, value] of Object.entries(patch)) {
    if (value === null) delete merged[field];
    else setField(merged, field, mergePatch(ownField(merged, field), value));
  }
  return merged;
}

const operations = new Set(['add', 'remove', 'replace', 'move', 'copy', 'test']);

/** Applies RFC 6902 to a copy. Throws a 400 if it is malformed, a 422 if it fails. */
export function jsonPatch(target: unknown, patch: unknown): unknown {
  if (!Array.isArray(patch))
    throw badRequest(
      'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
    );
  for (const operation of patch as readonly unknown[]) {
    if (!isJsonObject(operation) || typeof operation['op'] !== 'string' || !operations.has(operation['op'])) {
      throw badRequest(`invalid operation ${JSON.stringify(operation)}: unsupported operation`);
    }
    if (typeof operation['path'] !== 'string')
      throw badRequest(`invalid operation ${JSON.stringify(operation)}: missing path`);
  }
  return (patch as readonly JsonObject[]).reduce(applyOperation, target);
}

function applyOperation(document: unknown, operation: JsonObject): unknown {
  const path = tokensOf(operation['path']);
  switch (operation['op']) {
    case 'add':
      return change(document, path, adding(valueOf(operation)));
    case 'remove':
      return change(document, path, removing);
    case 'replace':
      return change(document, path, replacing(valueOf(operation)));
    case 'test':
      if (equalJson(valueAt(document, path), operation['value'])) return document;
      throw inapplicable();
  }
  const from = tokensOf(operation['from']);
  const value = valueAt(document, from);
  if (value === undefined) throw inapplicable();
  if (operation['op'] === 'copy') return change(document, path, adding(value));
  const isInside = from.length < path.length && from.every((token, index) => token === path[index]);
  if (isInside) throw inapplicable();
  return change(change(document, from, removing), path, adding(value));
}

/** Changes one entry of an object or an array. Throws if the entry cannot be changed. */
type Change = (parent: JsonObject | readonly unknown[], token: string) => unknown;

/** Returns the document after `apply` has changed the parent of the last token. */
function change(document: unknown, [token, ...rest]: readonly string[], apply: Change): unknown {
  if (token === undefined || !isContainer(document)) throw inapplicable();
  if (rest.length === 0) return apply(document, token);
  return replacing(change(entryOf(document, token), rest, apply))(document, token);
}

const adding =
  (value: unknown): Change =>
  (parent, token) => {
    if (!isList(parent)) return { ...parent, [token]: value };
    const index = token === '-' ? parent.length : indexOf(token);
    if (index > parent.length) throw inapplicable();
    return parent.toSpliced(index, 0, value);
  };

const removing: Change = (parent, token) => {
  if (entryOf(parent, token) === undefined) throw inapplicable();
  if (isList(parent)) return parent.toSpliced(indexOf(token), 1);
  return Object.fromEntries(Object.entries(parent).filter(([field]) => field !== token));
};

const replacing =
  (value: unknown): Change =>
  (parent, token) => {
    if (entryOf(parent, token) === undefined) throw inapplicable();
    if (isList(parent)) return parent.with(indexOf(token), value);
    return { ...parent, [token]: value };
  };

function valueAt(document: unknown, tokens: readonly string[]): unknown {
  return tokens.reduce((value, token) => (isContainer(value) ? entryOf(value, token) : undefined), document);
}

function entryOf(parent: JsonObject | readonly unknown[], token: string): unknown {
  if (isList(parent)) return parent[indexOf(token)];
  return ownField(parent, token);
}

/** Returns the value of an operation. Throws if the value is missing. */
function valueOf(operation: JsonObject): unknown {
  if (!Object.hasOwn(operation, 'value')) throw inapplicable();
  return operation['value'];
}

function tokensOf(pointer: unknown): readonly string[] {
  if (typeof pointer !== 'string' || (pointer !== '' && !pointer.startsWith('/'))) throw inapplicable();
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function indexOf(token: string): number {
  if (!/^(0|[1-9]\d*)$/.test(token)) throw inapplicable();
  return Number(token);
}

function isList(value: JsonObject | readonly unknown[]): value is readonly unknown[] {
  return Array.isArray(value);
}

function isContainer(value: unknown): value is JsonObject | readonly unknown[] {
  return typeof value === 'object' && value !== null;
}

function inapplicable(): RxInformersError<'RXI_API'> {
  return apiError(422, 'Invalid', 'the server rejected our request due to an error in our request', {
    details: {},
  });
}
