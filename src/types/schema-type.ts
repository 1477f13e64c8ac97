/** A structural schema of a CustomResourceDefinition: the parts that decide a type. */
export interface Schema {
  readonly type?: string | undefined;
  readonly description?: string | undefined;
  readonly default?: unknown;
  readonly enum?: readonly unknown[] | undefined;
  readonly nullable?: boolean | undefined;
  readonly properties?: Readonly<Record<string, Schema>> | undefined;
  readonly required?: readonly string[] | undefined;
  readonly additionalProperties?: boolean | Schema | undefined;
  readonly items?: Schema | undefined;
  readonly allOf?: readonly Schema[] | undefined;
  readonly 'x-kubernetes-embedded-resource'?: boolean | undefined;
  readonly 'x-kubernetes-int-or-string'?: boolean | undefined;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean | undefined;
}

/**
 * Returns the type of the values that the API server accepts for a schema. What the schema leaves
 * open is `unknown`, so that a program checks it before use.
 *
 * @param schema the schema; `undefined` allows any value
 * @param indent the spaces at the start of the line in which the type stands
 */
export function schemaType(schema: Schema | undefined, indent: string): string {
  if (!schema) return 'unknown';
  const type = literals(schema) ?? typeOrNull(schema, indent);
  return schema.nullable !== true || type === 'unknown' || type.endsWith('null') ? type : `${type} | null`;
}

function typeOrNull(schema: Schema, indent: string): string {
  if (schema['x-kubernetes-int-or-string'] === true) return 'number | string';
  if (schema.type === 'object') return objectType(schema, indent);
  if (schema.type !== 'array') return simpleTypes.get(schema.type ?? '') ?? 'unknown';
  const item = schemaType(schema.items, indent);
  return item.endsWith('}') || /^\w+$/.test(item) ? `readonly ${item}[]` : `readonly (${item})[]`;
}

/**
 * The types of other values. `ObjectMeta` stands for the metadata of an object, which no schema
 * states. The API server reads `null` as absent, and manifests contain it, for example as
 * `creationTimestamp`.
 */
const simpleTypes: ReadonlyMap<string, string> = new Map([
  ['string', 'string'],
  ['boolean', 'boolean'],
  ['number', 'number'],
  ['integer', 'number'],
  ['ObjectMeta', '{ readonly [Field in keyof ObjectMeta]: ObjectMeta[Field] | null }'],
]);

/** Returns the union of the values of an enum, unless an object or an array is among them. */
function literals(schema: Schema): string | undefined {
  const [values, ...others] = withAllOf(schema).flatMap(({ enum: list }) => (list?.length ? [list] : []));
  const allowed = values?.filter((value) => others.every((other) => other.includes(value)));
  if (allowed === undefined || allowed.some((value) => typeof value === 'object' && value !== null)) return undefined;
  return allowed.map(literal).join(' | ') || 'never';
}

function withAllOf(schema: Schema): readonly Schema[] {
  return [schema, ...(schema.allOf ?? [])];
}

/** Returns a value as a program writes it. */
export function literal(value: unknown): string {
  const json = JSON.stringify(value);
  if (typeof value !== 'string' || value.includes("'")) return json;
  return `'${json.slice(1, -1).replaceAll('\\"', '"')}'`;
}

function objectType(schema: Schema, indent: string): string {
  const { properties } = schema;
  const embedded: Schema = schema['x-kubernetes-embedded-resource'] === true ? embeddedObject : {};
  const required = [embedded, ...withAllOf(schema)].flatMap((each) => each.required ?? []);
  const unnamed = Object.fromEntries(required.map((name) => [name, {}]));
  const fields = Object.entries<Schema>({ ...properties, ...unnamed, ...properties, ...embedded.properties });
  const others = typeOfOthers(schema, indent, fields.length > 0);
  const index = others === undefined ? '' : `readonly [key: string]: ${others}`;
  if (fields.length === 0 && !index.includes('\n')) return `{ ${index} }`;
  const inner = `${indent}  `;
  const lines = fields.map(([name, property]) => {
    const mark = !required.includes(name) || property.default !== undefined ? '?' : '';
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name);
    // Every object has a `constructor`, and with another type than a field of that name.
    const type = name in {} ? 'unknown' : schemaType(property, inner);
    return `${commentOf(property, inner)}${inner}readonly ${key}${mark}: ${type};\n`;
  });
  return `{\n${lines.join('')}${index && `${inner}${index};\n`}${indent}}`;
}

/** What an embedded object has besides its schema. */
const embeddedObject: Schema = {
  properties: { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: { type: 'ObjectMeta' } },
  required: ['apiVersion', 'kind'],
};

/** Returns the type of the fields that a schema does not name; `undefined` if there are none. */
function typeOfOthers(schema: Schema, indent: string, hasFields: boolean): string | undefined {
  const { additionalProperties: others, 'x-kubernetes-preserve-unknown-fields': isOpen } = schema;
  if (isOpen === true || others === true || (others && hasFields)) return 'unknown';
  if (others) return schemaType(others, `${indent}  `);
  // `{}` would allow every text, number and list.
  return hasFields ? undefined : 'never';
}

/** Returns description and default as a comment on lines of its own. */
export function commentOf({ description, default: value }: Schema, indent: string): string {
  const added = value === undefined ? '' : `\n\nDefault: ${literal(value)}`;
  const text = `${description?.trim() ?? ''}${added}`.trim();
  const lines = text.replaceAll('*/', '*\\/').split(/\r\n|[\r\n\u2028\u2029]/);
  if (lines.length > 1)
    return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
  return lines[0] ? `${indent}/** ${lines[0]} */\n` : '';
}
