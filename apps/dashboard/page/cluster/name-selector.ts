/**
 * Returns the field selector for the object of this name. Names of roles and users may contain the
 * characters that have a meaning in a selector: `ldap=admins,staff`.
 */
export function nameSelector(name: string): string {
  return `metadata.name=${name.replace(/[\\,=]/g, '\\$&')}`;
}

/** Returns the name in a selector of `nameSelector`, or `undefined` for any other selector. */
export function selectedName(fieldSelector: string): string | undefined {
  const [, name] = /^metadata\.name=((?:\\.|[^\\,=])+)$/.exec(fieldSelector) ?? [];
  return name?.replace(/\\(.)/g, '$1');
}
