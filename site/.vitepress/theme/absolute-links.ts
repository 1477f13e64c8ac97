/**
 * Makes the relative addresses of the served HTML absolute. The site changes pages without a
 * reload, but elements such as the sidebar and the icon stay. A relative address in such an element
 * would be wrong on every page except the first.
 */
export function absoluteLinks(): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>('a[href^="."]')) {
    const { pathname, search, hash } = new URL(link.href);
    link.setAttribute('href', pathname.replace(/\/index\.html$/, '/') + search + hash);
  }
  for (const icon of document.querySelectorAll<HTMLLinkElement>('link[rel="icon"]'))
    icon.setAttribute('href', icon.href);
  for (const picture of document.querySelectorAll<HTMLImageElement>('.VPNav img'))
    picture.setAttribute('src', picture.src);
}
