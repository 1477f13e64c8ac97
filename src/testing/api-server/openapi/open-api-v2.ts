import type { Catalog } from '../resources/catalog.js';
import type { Schema } from '../schema/schema.js';
import { definitionsOf } from './definitions.js';
import { pathsOf, type Operation } from './paths.js';

/** The document of `/openapi/v2`. */
export interface OpenApiV2 {
  readonly swagger: '2.0';
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly definitions: Readonly<Record<string, Schema>>;
}

/** Everything that is served, in one document of OpenAPI 2. */
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
 * A schema as OpenAPI 2 can say it. It has no alternatives and no null, and clients that read it do not know which objects may
 * have more fields than they declare: such an object is described without its fields, as the real server does.
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
