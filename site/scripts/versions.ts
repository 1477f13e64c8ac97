/** One entry of versions.json, which lists the versions of a published site. */
export interface Version {
  /** `main`, or a tag such as `v1.2.0`. */
  readonly name: string;
  /** The path of the site of this version, relative to versions.json. */
  readonly path: string;
}

const semantic = /^v(\d+)\.(\d+)\.(\d+)(?:-([\w.-]+))?$/;

/**
 * Returns `main`, then the tags of versions from the newest to the oldest. Other tags are left out.
 */
export function versionsOf(tags: readonly string[]): readonly Version[] {
  const released = tags.filter((tag) => semantic.test(tag)).sort((one, other) => compare(other, one));
  return [{ name: 'main', path: './' }, ...released.map((tag) => ({ name: tag, path: `./${tag}/` }))];
}

/**
 * Returns the newest release of a list. Returns the newest pre-release if the list has no release.
 */
export function newestRelease(versions: readonly Version[]): Version | undefined {
  const tagged = versions.filter(({ name }) => semantic.test(name)).sort((one, other) => compare(other.name, one.name));
  return tagged.find(({ name }) => !name.includes('-')) ?? tagged[0];
}

/** Returns true if a version is older than the newest release. `main` never is. */
export function isOutdated(name: string, versions: readonly Version[]): boolean {
  const newest = newestRelease(versions);
  return newest !== undefined && semantic.test(name) && compare(name, newest.name) < 0;
}

/** Returns the address of versions.json. The folder of a tag's site is beside that file. */
export function listAddress(siteAddress: string, tag: string | undefined): string {
  return new URL(tag === undefined ? 'versions.json' : '../versions.json', siteAddress).href;
}

/**
 * Returns the address of a page in another version.
 *
 * @param page the address of the page in this version, including its anchor if it has one
 */
export function sameInVersion(
  { path }: Version,
  list: string,
  { page, siteAddress }: { readonly page: string; readonly siteAddress: string },
): string {
  const inSite = page.startsWith(siteAddress) ? page.slice(siteAddress.length) : '';
  return new URL(path + inSite, list).href;
}

/** Compares two versions number by number. A pre-release comes before its release. */
function compare(one: string, other: string): number {
  const [, ...parts] = semantic.exec(one) ?? [];
  const [, ...others] = semantic.exec(other) ?? [];
  for (const index of [0, 1, 2]) {
    const difference = Number(parts[index]) - Number(others[index]);
    if (difference !== 0) return difference;
  }
  const [pre, otherPre] = [parts[3], others[3]];
  if (pre === undefined || otherPre === undefined) return Number(pre === undefined) - Number(otherPre === undefined);
  return pre.localeCompare(otherPre, 'en', { numeric: true });
}
