import { expectTypeOf } from 'expect-type';
import { InvalidResourceError, resource, type Resource, type ResourceDefinition } from 'rx-informers';

interface Gadget {
  readonly spec: { readonly size: number };
}

const gadgets: ResourceDefinition = {
  group: 'example.com',
  version: 'v1',
  plural: 'gadgets',
  namespaced: true,
  kind: 'Gadget',
};

describe('resource', () => {
  it('describes a custom resource and carries the type of its objects', () => {
    const described = resource<Gadget>(gadgets);
    expect(described).toEqual(gadgets);
    expectTypeOf(described).toEqualTypeOf<Resource<Gadget>>();
  });

  it('leaves the kind out where none is given', () => {
    expect(resource({ group: '', version: 'v1', plural: 'pods', namespaced: true })).not.toHaveProperty('kind');
  });

  it('returns a frozen descriptor that is not the object it was given', () => {
    const described = resource<Gadget>(gadgets);
    expect(described).not.toBe(gadgets);
    expect(Object.isFrozen(described)).toBe(true);
  });

  it.each<[string, Partial<Record<keyof ResourceDefinition, unknown>>, RegExp]>([
    ['an empty plural', { plural: '' }, /plural/],
    ['a plural in camel case', { plural: 'gadgetParts' }, /lower-case plural/],
    ['a kind in place of the plural', { plural: 'Gadget' }, /lower-case plural/],
    ['a plural with a slash', { plural: 'gadgets/status' }, /plural/],
    ['no plural', { plural: undefined }, /plural/],
    ['an empty version', { version: '' }, /version/],
    ['an apiVersion in place of the version', { version: 'example.com/v1' }, /without the group/],
    ['an apiVersion in place of the group', { group: 'example.com/v1' }, /without the version/],
    ['a group that leads elsewhere', { group: '..' }, /group/],
    ['the name core for the core group', { group: 'core' }, /''/],
    ['no group', { group: undefined }, /''/],
    ['no scope', { namespaced: undefined }, /namespaced/],
    ['a kind in lower case', { kind: 'gadget' }, /kind/],
    ['an empty kind', { kind: '' }, /kind/],
  ])('refuses %s and says what is wrong', (_, wrong, message) => {
    const definition = { ...gadgets, ...wrong } as ResourceDefinition;
    const describe = (): unknown => resource(definition);
    expect(describe).toThrow(InvalidResourceError);
    expect(describe).toThrow(message);
    expect(describe).toThrow(expect.objectContaining({ definition }));
  });
});
