import fc from 'fast-check';
import { isOutdated, listAddress, newestRelease, sameInVersion, versionsOf } from '../scripts/versions.js';

const names = (...tags: readonly string[]): readonly string[] => versionsOf(tags).map(({ name }) => name);

describe('the versions of the site', () => {
  it('are main, then the tags from the newest to the oldest, by number', () => {
    expect(names('v0.9.0', 'v0.10.0', 'v1.0.0', 'v1.0.0-rc.2', 'v1.0.0-rc.10')).toEqual([
      'main',
      'v1.0.0',
      'v1.0.0-rc.10',
      'v1.0.0-rc.2',
      'v0.10.0',
      'v0.9.0',
    ]);
  });

  it('each have a folder, beside the list', () => {
    expect(versionsOf(['v0.1.0'])).toEqual([
      { name: 'main', path: './' },
      { name: 'v0.1.0', path: './v0.1.0/' },
    ]);
  });

  it.each(['', 'v1', 'v1.2', '1.2.3', 'vNext', 'v1.2.3/..', 'v1.2.3 ', 'version-1.2.3'])(
    'leave out the tag "%s", which is not a version',
    (tag) => {
      expect(names(tag)).toEqual(['main']);
    },
  );

  it('do not depend on the order of the tags', () => {
    const tag = fc.tuple(fc.nat(3), fc.nat(3), fc.nat(12)).map((parts) => `v${parts.join('.')}`);
    fc.assert(
      fc.property(fc.uniqueArray(tag), (tags) => {
        expect(names(...tags.toReversed())).toEqual(names(...tags));
      }),
    );
  });

  it('have a newest release; a pre-release counts only if there is nothing else', () => {
    expect(newestRelease(versionsOf(['v1.0.0', 'v2.0.0-rc.1', 'v0.1.0']))?.name).toBe('v1.0.0');
    expect(newestRelease(versionsOf(['v2.0.0-rc.1', 'v2.0.0-rc.2']))?.name).toBe('v2.0.0-rc.2');
    expect(newestRelease(versionsOf([]))).toBeUndefined();
  });

  it.each([
    ['v0.0.1', true],
    ['v0.1.0', false],
    ['v0.2.0-rc.1', false],
    ['main', false],
    ['anything', false],
  ])('tell whether %s is older than the newest release', (name, isOlder) => {
    expect(isOutdated(name, versionsOf(['v0.0.1', 'v0.1.0', 'v0.2.0-rc.1']))).toBe(isOlder);
    expect(isOutdated(name, [])).toBe(false);
  });

  it.each([
    ['https://a.io/', undefined, 'https://a.io/versions.json'],
    ['https://a.io/v1/docs/', undefined, 'https://a.io/v1/docs/versions.json'],
    ['https://a.io/docs/v0.1.0/', 'v0.1.0', 'https://a.io/docs/versions.json'],
    ['file:///tmp/dist/v0.1.0/', 'v0.1.0', 'file:///tmp/dist/versions.json'],
  ])('are listed for the site at %s of the tag %p in %s', (site, tag, list) => {
    expect(listAddress(site, tag)).toBe(list);
  });

  it.each([
    ['https://a.io/v0.0.1/how-to/react.html', 'https://a.io/v0.1.0/how-to/react.html'],
    ['https://a.io/v0.0.1/', 'https://a.io/v0.1.0/'],
    ['https://b.io/elsewhere.html', 'https://a.io/v0.1.0/'],
  ])('link from the page %s to the page %s', (page, same) => {
    const newest = { name: 'v0.1.0', path: './v0.1.0/' };
    const siteAddress = 'https://a.io/v0.0.1/';
    expect(sameInVersion(newest, listAddress(siteAddress, 'v0.0.1'), { page, siteAddress })).toBe(same);
  });

  it('link from a tag to main', () => {
    const siteAddress = 'https://a.io/docs/v0.0.1/';
    const main = { name: 'main', path: './' };
    const page = `${siteAddress}how-to/react.html`;
    expect(sameInVersion(main, listAddress(siteAddress, 'v0.0.1'), { page, siteAddress })).toBe(
      'https://a.io/docs/how-to/react.html',
    );
  });
});
