import { apiVersionOf, storageName, type ServedResource } from './served-resource.js';

/** What the server serves at this moment; custom resources come and go. */
export class Catalog {
  readonly #resources = new Map<string, ServedResource>();
  readonly #kinds = new Map<string, ServedResource>();

  constructor(resources: readonly ServedResource[]) {
    for (const resource of resources) this.add(resource);
  }

  add(resource: ServedResource): void {
    this.#resources.set(addressOf(resource), resource);
    this.#kinds.set(`${apiVersionOf(resource)}/${resource.kind}`, resource);
  }

  /** Takes every version of the resource away. */
  remove(resource: { readonly group: string; readonly plural: string }): void {
    for (const known of this.versionsOf(resource)) {
      this.#resources.delete(addressOf(known));
      this.#kinds.delete(`${apiVersionOf(known)}/${known.kind}`);
    }
  }

  find(group: string, version: string, plural: string): ServedResource | undefined {
    return this.#resources.get(addressOf({ group, version, plural }));
  }

  findKind(apiVersion: string, kind: string): ServedResource | undefined {
    return this.#kinds.get(`${apiVersion}/${kind}`);
  }

  versionsOf(resource: { readonly group: string; readonly plural: string }): readonly ServedResource[] {
    const name = storageName(resource);
    return this.all().filter((known) => storageName(known) === name);
  }

  all(): readonly ServedResource[] {
    return [...this.#resources.values()];
  }

  /** The groups beside the core one, each with its versions, the preferred one first. */
  groups(): ReadonlyMap<string, readonly string[]> {
    const groups = new Map<string, string[]>();
    for (const { group, version } of this.#resources.values()) {
      if (group === '') continue;
      const versions = groups.get(group) ?? [];
      if (!versions.includes(version)) versions.push(version);
      groups.set(group, versions);
    }
    return groups;
  }

  inGroupVersion(group: string, version: string): readonly ServedResource[] {
    return this.all().filter((resource) => resource.group === group && resource.version === version);
  }
}

function addressOf({
  group,
  version,
  plural,
}: {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}): string {
  return `${group}/${version}/${plural}`;
}
