/** Reports a notification of an observer directly after its completion or error, which ends it. */
export const redundantNotify = {
  create: (context) => ({
    [`${notification('complete|error')} + ${notification('next|complete|error')}`](node) {
      const siblings = node.parent.body ?? node.parent.consequent;
      const previous = siblings[siblings.indexOf(node) - 1];
      if (observerOf(context, node) === observerOf(context, previous))
        context.report({ node, message: 'The observer has ended, so this has no effect.' });
    },
  }),
};

const notification = (names) => `ExpressionStatement[expression.callee.property.name=/^(${names})$/]`;
const observerOf = ({ sourceCode }, { expression }) => sourceCode.getText(expression.callee.object);
