import fc from 'fast-check';
import { formatAddress, home, parseAddress, type PageAddress } from '../../page/address/page-address.js';

describe('the address of the page', () => {
  const full: PageAddress = {
    context: 'prod-eu',
    view: 'timeline',
    filter: {
      chosen: { namespace: ['shop', 'blog'], 'label.app.kubernetes.io/name': ['web'], node: [''] },
      text: 'a b',
    },
    order: [
      { name: 'restarts', direction: 'descending' },
      { name: 'name', direction: 'ascending' },
    ],
    opened: { resource: 'apps/v1/deployments', key: 'shop/web', tab: 'events' },
    at: Date.parse('2026-01-31T14:02:31.250Z'),
    kind: 'example.com/v1/widgets',
    settings: { 'pods.columns': 'name,owner' },
  };

  it('is empty for the first screen', () => {
    expect(formatAddress(home)).toBe('');
    expect(parseAddress('')).toEqual({ ...home, opened: undefined, at: undefined, kind: undefined });
  });

  it('contains everything that the page shows, in readable words', () => {
    expect(parseAddress(formatAddress(full))).toEqual(full);
    expect(formatAddress(full)).toBe(
      '?context=prod-eu&view=timeline&kind=example.com/v1/widgets&is.namespace=shop&is.namespace=blog' +
        '&is.label.app.kubernetes.io/name=web&is.node=&text=a+b&order=-restarts,name&pods.columns=name,owner' +
        '&open=apps/v1/deployments:shop/web&tab=events&at=2026-01-31T14:02:31.250Z',
    );
  });

  it('names the context, and ignores a name that would lead to another path', () => {
    const names = ['east', 'arn:aws:eks:eu:1:cluster/a,b%', '', '.', '..'];
    const read = names.map((context) => parseAddress(formatAddress({ ...home, context })).context);
    expect(read).toEqual(['east', 'arn:aws:eks:eu:1:cluster/a,b%', undefined, undefined, undefined]);
  });

  it('keeps parameters that are not its own', () => {
    expect(formatAddress({ ...home, view: 'logs' }, '?api=/k8s&view=pods')).toBe('?api=/k8s&view=logs');
  });

  it('accepts any query string', () => {
    fc.assert(
      fc.property(fc.string(), (search) => {
        expect(parseAddress(formatAddress(parseAddress(search)))).toEqual(parseAddress(search));
      }),
    );
    expect(parseAddress('?is.constructor=a').filter.chosen).toEqual({ constructor: ['a'] });
    expect(parseAddress('?open=pods&at=noon&view=secrets&order=,-,--a')).toMatchObject({ ...home, opened: undefined });
  });
});
