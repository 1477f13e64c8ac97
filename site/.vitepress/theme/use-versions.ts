import { useData, useRoute, withBase } from 'vitepress';
import { onMounted, shallowRef, watch, type ShallowRef } from 'vue';
import { isOutdated, listAddress, newestRelease, sameInVersion, type Version } from '../../scripts/versions.js';

/** The data of the menu of versions and of the banner on a published site. */
export interface Versions {
  /** The version of this site: `main`, or the tag that the site was built from. */
  readonly current: string;
  /**
   * Every version. The address leads to the same page in that version, or to the start page if the
   * version lacks the page.
   */
  readonly all: readonly { readonly name: string; readonly href: string }[];
  /** The newest release, if this version is older. */
  readonly newer: { readonly name: string; readonly href: string } | undefined;
}

/** The requests by the address of the page. The menu and the banner share one request. */
const known = new Map<string, Promise<Versions>>();

/** Returns the versions in the current versions.json, so an old site lists newer versions, too. */
export function useVersions(): ShallowRef<Versions> {
  const { theme } = useData();
  const { tag } = theme.value as { readonly tag?: string };
  const versions = shallowRef<Versions>({ current: tag ?? 'main', all: [], newer: undefined });
  const route = useRoute();

  async function read(): Promise<void> {
    const page = location.href.replace(/[?#].*$/, '');
    const found = known.get(page) ?? versionsOfPage(page, new URL(withBase('/'), location.href).href, tag);
    known.set(page, found);
    versions.value = await found;
  }

  onMounted(() => {
    watch(() => route.path, read, { immediate: true });
  });
  return versions;
}

async function versionsOfPage(page: string, siteAddress: string, tag: string | undefined): Promise<Versions> {
  const current = tag ?? 'main';
  const list = listAddress(siteAddress, tag);
  const response = await fetch(list).catch(() => undefined);
  const listed = response?.ok === true ? ((await response.json()) as readonly Version[]) : [];
  if (listed.length < 2) return { current, all: [], newer: undefined };
  const linked = async (version: Version): Promise<Versions['all'][number]> => {
    const start = new URL(version.path, list).href;
    const same = sameInVersion(version, list, { page, siteAddress });
    const isThere = same === start || (await fetch(same, { method: 'HEAD' }).catch(() => undefined))?.ok === true;
    return { name: version.name, href: isThere ? same : start };
  };
  const all = await Promise.all(listed.map(linked));
  const newest = isOutdated(current, listed) ? newestRelease(listed) : undefined;
  return { current, all, newer: all.find(({ name }) => name === newest?.name) };
}
