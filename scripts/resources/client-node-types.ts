import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

interface Attribute {
  /**
   * The name in the declaration. It differs from `baseName` if that is a reserved word or no
   * identifier.
   */
  readonly name: string;
  readonly baseName: string;
  readonly type: string;
  readonly format: string;
}

interface Model {
  getAttributeTypeMap(): readonly Attribute[];
}

/**
 * The fields that are quantities. client-node declares them as strings, but the API server also
 * accepts numbers. The Kubernetes API reference lists them:
 * https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
 */
const quantities = new Set(
  [
    'CSIStorageCapacity capacity maximumVolumeSize',
    'CapacityRequestPolicy default validValues',
    'CapacityRequestPolicyRange max min step',
    'CapacityRequirements requests',
    'ContainerStatus allocatedResources',
    'Counter value',
    'DeviceCapacity value',
    'DeviceRequestAllocationResult consumedCapacity',
    'EmptyDirVolumeSource sizeLimit',
    'LimitRangeItem default defaultRequest max maxLimitRequestRatio min',
    'MetricTarget averageValue value',
    'MetricValueStatus averageValue value',
    'NodeStatus allocatable capacity',
    'Overhead podFixed',
    'PersistentVolumeClaimStatus allocatedResources capacity',
    'PersistentVolumeSpec capacity',
    'PodSpec overhead',
    'ResourceFieldSelector divisor',
    'ResourceQuotaSpec hard',
    'ResourceQuotaStatus hard used',
    'ResourceRequirements limits requests',
    'VolumeResourceRequirements limits requests',
  ].flatMap((line) => {
    const [type = '', ...fields] = line.split(' ');
    return fields.map((field) => `${type}.${field}`);
  }),
);

const scalars: Readonly<Record<string, string>> = {
  string: 's',
  'string/byte': 'y',
  boolean: 'b',
  'number/int32': 'i',
  'number/int64': 'l',
  'number/double': 'd',
  number: 'd',
  Date: 't',
  V1MicroTime: 'm',
  IntOrString: 'x',
  any: 'a',
  object: 'a',
};

/**
 * Returns the client-node types that objects of these types consist of, as lines of
 * `src/testing/api-server/resources/built-in-kinds.json`.
 */
export async function clientNodeTypes(roots: readonly string[]): Promise<readonly string[]> {
  const folder = join(dirname(createRequire(import.meta.url).resolve('@kubernetes/client-node')), 'gen', 'models');
  const models = (await import(pathToFileURL(join(folder, 'all.js')).href)) as Readonly<Record<string, unknown>>;
  const lines = new Map<string, string>();
  const pending = [...roots];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (lines.has(name)) continue;
    const declaration = readFileSync(join(folder, `${name}.d.ts`), 'utf8');
    const fields = (models[name] as Model).getAttributeTypeMap().map(({ name: property, baseName, type, format }) => {
      const encoded = encode(type, format, quantities.has(`${shortName(name)}.${baseName}`));
      pending.push(...encoded.models);
      const required = new RegExp(`^ {4}'${escape(property)}': `, 'm').test(declaration);
      return `${baseName}${required ? '!' : ''}${encoded.text === 's' ? '' : `:${encoded.text}`}`;
    });
    lines.set(name, [typeName(name), ...fields.sort()].join(' '));
  }
  return [...lines.values()].sort();
}

/**
 * Returns the name in the generated table: `v1.Container` for `V1Container`, `core.v1.Event` for
 * `CoreV1Event`.
 */
function typeName(model: string): string {
  const [, prefix = '', version = '', name = ''] =
    /^([A-Z][a-z]+)?(V\d+(?:alpha\d+|beta\d+)?)([A-Z].*)$/.exec(model) ?? [];
  if (name === '') throw new Error(`cannot understand the name ${model}`);
  return [prefix, version].filter(Boolean).join('.').toLowerCase() + `.${name}`;
}

function shortName(model: string): string {
  return typeName(model).split('.').at(-1) ?? model;
}

function encode(
  type: string,
  format: string,
  quantity: boolean,
): { readonly text: string; readonly models: readonly string[] } {
  const [, list] = /^Array<(.*)>$/.exec(type) ?? [];
  const [, map] = /^\{ \[key: string\]: (.*); \}$/.exec(type) ?? [];
  const inside = list ?? map;
  if (inside !== undefined) {
    const { text, models } = encode(inside, format, quantity);
    return { text: `${list === undefined ? '{}' : '[]'}${text}`, models };
  }
  if (quantity) return { text: 'q', models: [] };
  const scalar = scalars[`${type}/${format}`] ?? scalars[type];
  return scalar === undefined ? { text: typeName(type), models: [type] } : { text: scalar, models: [] };
}

function escape(text: string): string {
  return text.replace(/[$.]/g, '\\$&');
}
