/** Words that a camelCase name must not contain, and what to write instead. */
const words = {
  asked: 'requested, or what was requested',
  because: 'reason, cause',
  begun: 'started, startedAt',
  behind: 'end, backlog, late',
  elsewhere: 'the other place',
  fruitless: 'withoutProgress',
  given: 'what it is: options, value, object',
  happened: 'the event, occurred',
  happening: 'event, input',
  happenings: 'events, inputs',
  heard: 'received',
  heed: 'what is done: check, end, register',
  held: 'cached, stored, pending',
  hurried: 'sooner',
  hurry: 'sooner',
  knowing: 'withKnown…',
  lent: 'shared',
  life: 'run, lifetime, lifecycle, subscriptions',
  neighbour: 'adjacent, previous, next',
  newcomer: 'new subscriber',
  quietly: 'silently, withoutNotifying',
  recollection: 'known…',
  spelled: 'written, text',
  spells: 'encodes, equals',
  tell: 'emit, notify, report',
  tells: 'emits, notifies, reports',
  told: 'emitted, notified, reported',
  untold: 'unreported',
  welcome: 'start',
  wish: 'request',
};
/** How a name must not begin, and what to write instead. */
const phrases = [
  [/^#?go(?:es)?On(?![a-z])/, 'continue, continues'],
  [/^#?makeVoid/, 'supersede, invalidate'],
  [/^#?most(?=[A-Z])/, 'max…'],
  [/^#?saysTheSame/, 'isEqual'],
];
/** Names of the public interface, and what belongs to them. */
const publicNames = /^#?(?:held|because|heldFor|heldBefore|[hH]eldKeys\w*|KeyHeld\w*|lastHeardAt)$/;

function advice(name) {
  if (publicNames.test(name)) return undefined;
  const phrase = phrases.find(([pattern]) => pattern.test(name));
  if (phrase !== undefined) return phrase[1];
  const parts = name.split(/(?=[A-Z])|[^a-zA-Z]+/).map((part) => part.toLowerCase());
  return words[parts.find((part) => Object.hasOwn(words, part))];
}

/** Reports declarations whose name contains one of the words. Properties are not checked. */
export const plainNames = {
  meta: {
    type: 'suggestion',
    schema: [],
    messages: { word: '"{{name}}": write plain technical English: {{instead}}.' },
  },
  create(context) {
    const check = (node) => {
      const instead = advice(node.name);
      if (instead !== undefined) context.report({ node, messageId: 'word', data: { name: node.name, instead } });
    };
    return {
      ':matches(MethodDefinition, PropertyDefinition) > PrivateIdentifier.key': check,
      'MethodDefinition > Identifier.key': check,
      'Program:exit'() {
        for (const { variables } of context.sourceCode.scopeManager.scopes) {
          for (const { name, defs } of variables) {
            // An import, and a shorthand property, have the name that is chosen elsewhere.
            const own = defs.find((def) => def.type !== 'ImportBinding' && !isShorthand(def.name));
            if (own !== undefined && own.name.name === name) check(own.name);
          }
        }
      },
    };
  },
};

function isShorthand({ parent }) {
  const property = parent.type === 'AssignmentPattern' ? parent.parent : parent;
  return property.type === 'Property' && property.shorthand;
}
