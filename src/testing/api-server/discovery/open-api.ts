import { type Catalog, servedApiVersion, type ServedResource, type Schema } from '../resources/catalog.js';
import { definitionName, groupVersionKind, resolve, schemaOf, typeOf, typeOfRef } from '../schema/schema.js';

/** The document of `/openapi/v2`. */
export interface OpenApiV2 {
  readonly swagger: '2.0';
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly definitions: Readonly<Record<string, Schema>>;
}

/** Returns one OpenAPI 2 document for all served resources. */
export function openApiV2(catalog: Catalog, version: string): OpenApiV2 {
  const resources = catalog.all();
  const parameter = (name: string, type: string): object => ({ name, in: 'query', type });
  const definitions = [...definitionsOf(resources)].map(([name, schema]) => [name, inVersion2(schema)] as const);
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version },
    paths: Object.assign({}, ...resources.map((resource) => pathsOf(resource, parameter))) as OpenApiV2['paths'],
    definitions: Object.fromEntries(definitions),
  };
}

/**
 * Converts to OpenAPI 2, without alternatives and null. Its clients, such as kubectl, refuse
 * undeclared fields of objects that may have them, so these are described without any fields, as in
 * the real server.
 */
function inVersion2(schema: Schema): Schema {
  const { $ref, type, format, description, required, properties, additionalProperties, items } = schema;
  const extensions = Object.fromEntries(Object.entries(schema).filter(([field]) => field.startsWith('x-kubernetes-')));
  const described = { ...(description === undefined ? {} : { description }), ...extensions };
  if ($ref !== undefined) return { ...described, $ref: $ref.replace('#/components/schemas/', '#/definitions/') };
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) return described;
  if (schema.oneOf !== undefined && type === undefined)
    return { ...described, type: 'string', ...(format === undefined ? {} : { format }) };
  return {
    ...described,
    ...(type === undefined ? {} : { type }),
    ...(format === undefined ? {} : { format }),
    ...(required === undefined ? {} : { required }),
    ...(items === undefined ? {} : { items: inVersion2(items) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([field, child]) => [field, inVersion2(child)] as const),
          ),
        }),
    ...(typeof additionalProperties === 'object' ? { additionalProperties: inVersion2(additionalProperties) } : {}),
  };
}

/** Returns the index of `/openapi/v3`, with the address of each group version's document. */
export function openApiIndex(catalog: Catalog): object {
  const names = [...new Set(catalog.all().map(documentName))];
  return { paths: Object.fromEntries(names.map((name) => [name, { serverRelativeURL: `/openapi/v3/${name}` }])) };
}

/** Returns a document such as `api/v1` or `apis/apps/v1`; `undefined` if it is not served. */
export function openApiV3(catalog: Catalog, name: string, version: string): object | undefined {
  const resources = catalog.all().filter((resource) => documentName(resource) === name);
  if (resources.length === 0) return undefined;
  const parameter = (parameterName: string, type: string): object => ({
    name: parameterName,
    in: 'query',
    schema: { type },
  });
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version },
    paths: Object.assign({}, ...resources.map((resource) => pathsOf(resource, parameter))) as object,
    components: { schemas: Object.fromEntries(definitionsOf(resources)) },
  };
}

function documentName(resource: ServedResource): string {
  return `${resource.group === '' ? 'api' : 'apis'}/${servedApiVersion(resource)}`;
}

/** Returns the schemas of some resources and of every type that they refer to, by name. */
function definitionsOf(resources: readonly ServedResource[]): ReadonlyMap<string, Schema> {
  const definitions = new Map<string, Schema>();
  const addReferences = (schema: Schema): void => {
    const { $ref, items, properties = {}, additionalProperties } = schema;
    if ($ref !== undefined) add(definitionName(typeOfRef($ref)), resolve(schema));
    if (items !== undefined) addReferences(items);
    if (typeof additionalProperties === 'object') addReferences(additionalProperties);
    Object.values(properties).forEach(addReferences);
  };
  const add = (name: string, schema: Schema): void => {
    if (definitions.has(name)) return;
    definitions.set(name, schema);
    addReferences(schema);
  };
  for (const resource of resources) {
    const schema: Schema = {
      ...(schemaOf(resource) ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }),
      'x-kubernetes-group-version-kind': [groupVersionKind(resource)],
    };
    const name = schemaName(resource);
    definitions.set(name, schema);
    addReferences(schema);
  }
  return definitions;
}

/** Names a kind; custom groups are reversed, as Java packages: `com.example.v1.Widget`. */
function schemaName(resource: ServedResource): string {
  const type = typeOf(resource);
  if (type !== undefined) return definitionName(type);
  const { group, version, kind } = resource;
  return [...group.split('.').reverse(), version, kind].filter(Boolean).join('.');
}

/** A request that the documents describe under a path. */
export interface Operation {
  readonly 'x-kubernetes-action': string;
  readonly 'x-kubernetes-group-version-kind': Readonly<Record<string, string>>;
  readonly parameters: readonly object[];
  readonly responses: object;
}

/** Describes a query parameter. OpenAPI 2 and 3 have different forms for it. */
type DescribeParameter = (name: string, type: 'string' | 'boolean' | 'integer') => object;

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

const writeParameters = ['dryRun', 'fieldManager', 'fieldValidation'];
const listParameters = [
  'continue',
  'fieldSelector',
  'labelSelector',
  'limit',
  'resourceVersion',
  'resourceVersionMatch',
  'sendInitialEvents',
  'timeoutSeconds',
  'watch',
];
const types: Readonly<Record<string, 'boolean' | 'integer'>> = {
  force: 'boolean',
  limit: 'integer',
  sendInitialEvents: 'boolean',
  timeoutSeconds: 'integer',
  watch: 'boolean',
};

/** Returns the paths of a collection, of an object, and of its subresources. */
function pathsOf(resource: ServedResource, parameter: DescribeParameter): Paths {
  const operation = (action: string, names: readonly string[] = []): Operation => ({
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': groupVersionKind(resource),
    parameters: names.map((name) => parameter(name, types[name] ?? 'string')),
    responses: { 200: { description: 'OK' } },
  });
  const root = `${resource.group === '' ? '/api' : '/apis'}/${servedApiVersion(resource)}`;
  const collection = `${root}/${resource.namespaced ? 'namespaces/{namespace}/' : ''}${resource.plural}`;
  const get = operation('get');
  const put = operation('put', writeParameters);
  const patch = operation('patch', [...writeParameters, 'force']);
  const list = operation('list', listParameters);
  const subresources = [...(resource.hasStatus ? ['status'] : []), ...(resource.scale ? ['scale'] : [])];
  return {
    ...(resource.namespaced ? { [`${root}/${resource.plural}`]: { get: list } } : {}),
    [collection]: {
      get: list,
      post: operation('post', writeParameters),
      delete: operation('deletecollection', [...listParameters, 'dryRun', 'propagationPolicy']),
    },
    [`${collection}/{name}`]: { get, put, patch, delete: operation('delete', ['dryRun', 'propagationPolicy']) },
    ...Object.fromEntries(subresources.map((name) => [`${collection}/{name}/${name}`, { get, put, patch }])),
  };
}
