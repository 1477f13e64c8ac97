import type { Catalog } from '../resources/catalog.js';
import { apiVersionOf, type ServedResource } from '../resources/served-resource.js';
import { definitionsOf } from './definitions.js';
import { pathsOf } from './paths.js';

/** The index of `/openapi/v3`: where the document of each group and version is. */
export function openApiIndex(catalog: Catalog): object {
  const names = [...new Set(catalog.all().map(documentName))];
  return { paths: Object.fromEntries(names.map((name) => [name, { serverRelativeURL: `/openapi/v3/${name}` }])) };
}

/** One document of `/openapi/v3`, by its name: `api/v1`, `apis/apps/v1`; undefined if nothing is served there. */
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
  return `${resource.group === '' ? 'api' : 'apis'}/${apiVersionOf(resource)}`;
}
